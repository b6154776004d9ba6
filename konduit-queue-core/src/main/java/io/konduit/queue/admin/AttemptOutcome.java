package io.konduit.queue.admin;

/** What happened after a failed attempt. */
public enum AttemptOutcome {
    /** The task waits for its next attempt. */
    RETRIED,
    /** It was the last attempt. */
    FAILED,
    /** The run was interrupted, and its task is left to the reaper. */
    INTERRUPTED,
    /** The run had lost its lease, so that it changed nothing. */
    REFUSED
}
