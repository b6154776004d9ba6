package io.konduit.queue.simulation;

/** What can happen to one statement. */
enum Fault {
    /** It does not reach the server. */
    REQUEST_LOST,
    /** It is carried out, and its reply does not come. */
    REPLY_LOST,
    /** Its client gives up on it, and the server carries it out all the same, some time later. */
    LATE
}
