package io.konduit.queue;

/** Why a task is HELD. */
public enum HoldReason {
    /** Its worker was lost and the task is not reapable. A person must find out whether the work was done. */
    NOT_REAPABLE,
    /** Too many workers were lost while running it. The task may be the cause. */
    QUARANTINED
}
