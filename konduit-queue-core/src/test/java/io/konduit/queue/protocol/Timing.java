package io.konduit.queue.protocol;

/** The simulated durations in nanoseconds, with the proportions of the compressed fault tests. Nothing here is ever really waited for. */
final class Timing {
    static final long MILLISECOND = 1_000_000L;
    static final long SECOND = 1_000 * MILLISECOND;
    static final long HOUR = 3_600 * SECOND;

    static final long LOCK_TIMEOUT = 2 * SECOND;
    static final long HEARTBEAT_INTERVAL = 400 * MILLISECOND;
    static final long REAPER_INTERVAL = 500 * MILLISECOND;
    static final long TIME_LIMIT = 3 * SECOND;
    static final long ABANDONED_THRESHOLD = 5 * SECOND;
    static final long DRAIN_TIMEOUT = 500 * MILLISECOND;

    /** A worker interrupts a handler this long before its lease can end. */
    static final long SELF_FENCING_MARGIN = Math.max(200 * MILLISECOND, LOCK_TIMEOUT / 10);

    /** A caller gives a statement up after this time; with the delay before the retry it must stay well below a heartbeat. */
    static final long STATEMENT_TIMEOUT = 150 * MILLISECOND;

    static final long RETRY_DELAY = 50 * MILLISECOND;
    static final long BUSY_RETRY_DELAY = 20 * MILLISECOND;
    static final long LONGEST_LATENCY = 4 * MILLISECOND;
    static final long LONGEST_EFFECT = 30 * MILLISECOND;

    /** The server rolls a transaction back that its client has left open for this long. */
    static final long IDLE_TRANSACTION_TIMEOUT = LOCK_TIMEOUT;

    /** How long the reaper stands back after an outage or a jump: one heartbeat and a fifth. */
    static final long GUARD_ROUND = HEARTBEAT_INTERVAL * 6 / 5;

    /** The most that repeated suspicions can hold the reaper back. */
    static final long GUARD_CAP = 5 * LOCK_TIMEOUT;

    /** A reaper that has not seen the database for longer than this cannot know whether others could reach it. */
    static final long LONGEST_BLIND_GAP = 700 * MILLISECOND;

    static final long CLOCK_TOLERANCE = 50 * MILLISECOND;

    /** How long an orphan may stay one while nothing is broken. */
    static final long RECOVERY_BOUND =
            LOCK_TIMEOUT + REAPER_INTERVAL * 11 / 10 + GUARD_ROUND + 10 * LONGEST_LATENCY + IDLE_TRANSACTION_TIMEOUT;

    private Timing() {}

    static String format(long nanos) {
        return String.format("%.3f s", nanos / (double) SECOND);
    }
}
