package io.konduit.queue;

/** Why a task is HELD. */
public enum HoldReason {
    /** Its worker was lost and the task is not reapable: whether its work was done, only a person can tell. */
    NOT_REAPABLE,
    /** Its workers were lost too often: it may be the cause. */
    QUARANTINED
}
