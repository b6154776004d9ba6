package io.konduit.queue.store;

/** The answer to a lease extension. */
public enum ExtensionResult {
    EXTENDED,
    /** The row is locked by another transaction right now: ask again. Must never be treated as lost. */
    BUSY,
    /** The task has no owner or another one. Final. */
    LOST
}
