package io.konduit.queue.leader;

import java.time.Duration;

/** One bounded pass of background work that one instance does for all. */
public interface Chore {

    /** Its name in {@code konduit_chore} and in logs. */
    String name();

    /** How often it should run. */
    Duration interval();

    /** One pass; returns how long to wait before the next, at most the interval. */
    Duration run();

    /** Whether it must run even without a leader: when the lock store is unavailable, or the leader does nothing. */
    default boolean isVital() {
        return false;
    }

    /**
     * Whether each pass is recorded in {@code konduit_chore}, so that a new leader waits for the rest of the interval.
     * Not worth two more statements for a short chore that may safely run once too often.
     */
    default boolean isRecorded() {
        return true;
    }

    /** Whether it has a thread of its own and never waits for housekeeping. */
    default boolean isUrgent() {
        return isVital();
    }
}
