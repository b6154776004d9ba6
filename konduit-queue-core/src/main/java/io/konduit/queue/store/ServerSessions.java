package io.konduit.queue.store;

/** Whether a connection has a session of the server for itself. */
public enum ServerSessions {
    /** A connection keeps its session: there is no pooler, or one that pools sessions. */
    OWN,

    /** A pooler hands the session to another client after each transaction: nothing may be left behind in it. */
    SHARED
}
