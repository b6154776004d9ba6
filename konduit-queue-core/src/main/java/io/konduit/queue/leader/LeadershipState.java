package io.konduit.queue.leader;

/** What this instance knows of its leadership. */
public enum LeadershipState {
    LEADER,
    /** Another instance holds the lock, or nobody does yet. */
    NOT_LEADER,
    /** The store of the lock does not answer: nobody can tell who leads. */
    STORE_UNAVAILABLE
}
