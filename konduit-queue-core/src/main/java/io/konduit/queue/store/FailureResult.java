package io.konduit.queue.store;

/** What became of a reported failure. */
public enum FailureResult {
    /** The task waits for its next attempt. */
    RETRY,
    /** The task is FAILED. */
    FINAL,
    /** An earlier try at reporting it had been applied, and its reply was lost. */
    ALREADY_APPLIED,
    /** Somebody else has the row locked: try again later. */
    BUSY,
    /** The lease was not held any more: nothing changed. */
    LOST
}
