package io.konduit.queue.worker;

import java.time.Duration;

/**
 * K3: whether this worker still has its witness, by its own monotonic clock and without the database.
 *
 * <p>While the database believes that this worker has a witness, its leases may be ended once the witness has been gone
 * for the grace. So no handler may run on beyond {@code last confirmation + grace - margin}. A round trip of the
 * listening session is a confirmation. So is the claim of the task itself: a lease that began after the witness was
 * missed is not ended for it.
 */
final class Witness {
    /** Longer than the watchdog ever sleeps. */
    private static final long PAUSE_NANOS = Duration.ofMillis(750).toNanos();
    /** How long the session may need to show that it has outlived a pause of the process. */
    private static final long AFTER_PAUSE_NANOS = Duration.ofMillis(250).toNanos();

    private final Duration grace;
    private final long trustedNanos;
    private final Duration verifyInterval;
    private volatile boolean announced;
    private volatile long confirmedNanos;
    private volatile boolean resumed;
    private volatile long resumedNanos;
    private long lookedNanos;
    private volatile boolean excused;

    Witness(Duration grace) {
        this.grace = grace;
        // a fifth, for clocks that run at different speeds and handlers that take time to end
        this.trustedNanos = grace.toNanos() / 5 * 4;
        this.verifyInterval = grace.dividedBy(5);
    }

    /** The witness of a worker that never announces one. */
    static Witness none() {
        return new Witness(Duration.ofDays(36_500));
    }

    /** How long it must be gone before leases are ended. */
    Duration grace() {
        return grace;
    }

    /** How often the session must be verified while tasks run. */
    Duration verifyInterval() {
        return verifyInterval;
    }

    /**
     * A statement sent at that time tells the database that there is a witness. If the database may already believe so,
     * only the reply confirms anything.
     */
    void announced(long sentNanos) {
        if (!announced) {
            confirmedNanos = sentNanos;
            announced = true;
        }
    }

    /** A round trip of the session that was sent at that time has come back. */
    void confirmed(long sentNanos) {
        confirmedNanos = sentNanos;
        excused = false;
    }

    /** The database knows that this worker has no witness. */
    void renounced() {
        announced = false;
    }

    /** Whether the database may believe that there is one. */
    boolean isAnnounced() {
        return announced;
    }

    /**
     * Called by the watchdog. If its last call was long ago, the whole process was suspended. The operating system
     * keeps the session of such a process, so the session gets a short time to answer before handlers are interrupted.
     * This happens once per confirmation: a watchdog that is always late must not postpone the interrupt forever.
     */
    void looked(long now) {
        if (now - lookedNanos > PAUSE_NANOS && !excused) {
            excused = true;
            resumedNanos = now;
            resumed = true;
        }
        lookedNanos = now;
    }

    /** The watchdog had nothing to watch until now: that it has not looked for long means nothing. */
    void rested(long now) {
        lookedNanos = now;
    }

    /** Whether a lease claimed at that time may be ended soon, so that its handler must end now. */
    boolean isInDoubt(long claimedNanos, long now) {
        return announced
                && now - confirmedNanos >= trustedNanos
                && now - claimedNanos >= trustedNanos
                && !(resumed && now - resumedNanos < AFTER_PAUSE_NANOS);
    }
}
