package io.konduit.queue.admin;

/** What an operator did to many tasks at once, to a worker or to a schedule. */
public enum AuditAction {
    RELEASE,
    FAIL,
    RETRY,
    CANCEL,
    RESCHEDULE,
    RECLAIM,
    CLEAN_ABANDONED,
    DRAIN,
    RESUME,
    PAUSE_SCHEDULE,
    RESUME_SCHEDULE,
    RUN_SCHEDULE
}
