package io.konduit.queue.admin;

/** What was done to the task. */
public enum IncidentAction {
    RECLAIMED,
    HELD,
    LEASE_ENDED,
    RELEASED,
    FAILED,
    RETRIED,
    CANCELLED,
    RESCHEDULED
}
