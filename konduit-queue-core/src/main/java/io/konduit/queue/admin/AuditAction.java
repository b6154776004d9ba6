package io.konduit.queue.admin;

/** What an operator did to many tasks at once, or to a worker. */
public enum AuditAction {
    RELEASE,
    FAIL,
    RETRY,
    CANCEL,
    RESCHEDULE,
    RECLAIM,
    CLEAN_ABANDONED,
    DRAIN,
    RESUME
}
