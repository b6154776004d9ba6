package io.konduit.queue.error;

/** Where the messages of handlers' errors, which may quote payloads, may go. */
public enum ErrorMessages {
    /** Neither stored nor logged. */
    NEVER,
    /** In the database only. */
    STORE,
    /** In the database and in the log. */
    LOG
}
