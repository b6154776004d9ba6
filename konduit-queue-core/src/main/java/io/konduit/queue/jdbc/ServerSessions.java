package io.konduit.queue.jdbc;

/** Whether a connection has its own server session. */
public enum ServerSessions {
    /** A connection keeps its session: there is no pooler, or one that pools sessions. */
    OWN,

    /** A pooler hands the session to another client after each transaction: nothing may be left in it. */
    SHARED
}
