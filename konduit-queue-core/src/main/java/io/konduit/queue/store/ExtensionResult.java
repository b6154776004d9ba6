package io.konduit.queue.store;

/** The answer to a lease extension. */
public enum ExtensionResult {
    EXTENDED,
    /** Somebody has the row locked for the moment: ask again. Never to be taken as lost. */
    BUSY,
    /** The task belongs to nobody or somebody else. Final. */
    LOST
}
