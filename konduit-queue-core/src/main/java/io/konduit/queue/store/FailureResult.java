package io.konduit.queue.store;

/** What became of a reported failure. */
public enum FailureResult {
    /** The task waits for its next attempt. */
    RETRY,
    /** The task is FAILED. */
    FINAL,
    /** An earlier attempt to report it was applied, and its reply was lost. */
    ALREADY_APPLIED,
    /** The row is locked by another transaction: try again later. */
    BUSY,
    /** The lease was no longer held: nothing changed. */
    LOST
}
