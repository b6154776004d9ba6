package io.konduit.queue.admin;

/** Why an incident was recorded. */
public enum IncidentClassification {
    /** The lease of the task had ended. */
    ZOMBIE,
    /** The task had lost too many workers, so it is held for review. */
    QUARANTINED,
    /** The task had made no progress for a very long time, although its worker was alive. */
    ABANDONED,
    /** The worker's process had died, so the lease was ended early. */
    WORKER_GONE,
    /** An operator decided, or the application on an operator's behalf. */
    OPERATOR
}
