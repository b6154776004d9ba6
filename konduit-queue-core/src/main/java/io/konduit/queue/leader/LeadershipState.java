package io.konduit.queue.leader;

/** What this instance knows about its leadership. */
public enum LeadershipState {
    LEADER,
    /** Another instance holds the lock, or none does yet. */
    NOT_LEADER,
    /** The lock store does not answer: the leader is unknown. */
    STORE_UNAVAILABLE
}
