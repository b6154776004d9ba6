package io.konduit.queue.worker;

import java.time.Duration;

/**
 * The local view of how long a lease lasts: when to extend it, and when it may end. Only arithmetic on times that its
 * caller passes in. Not safe for use by several threads: {@link RunningTask} calls it under its own lock.
 */
final class LeaseTerm {
    private static final long LEAST_MARGIN_NANOS = Duration.ofMillis(200).toNanos();

    private final long lockTimeoutNanos;
    private long confirmedNanos;
    private boolean extendSoon;
    private boolean askedMeanwhile;
    private boolean ownTransactionHoldsRow;

    /** @param sentNanos local time before the claim was sent: the lease began at that time or later */
    LeaseTerm(long lockTimeoutNanos, long sentNanos) {
        this.lockTimeoutNanos = lockTimeoutNanos;
        this.confirmedNanos = sentNanos;
    }

    /** The lease was confirmed by a statement that was sent at that time. */
    void confirm(long sentNanos) {
        confirmedNanos = sentNanos;
        extendSoon = askedMeanwhile;
    }

    /**
     * Requests an extension at the next opportunity. An extension in flight does not count: it may have been sent too
     * early.
     */
    void extendSoon() {
        extendSoon = true;
        askedMeanwhile = true;
    }

    /** An extension is about to be sent. */
    void extending() {
        askedMeanwhile = false;
    }

    /** How long until a third of the lease is used up; zero or less when it is. */
    long nanosToExtension(long now) {
        return extendSoon ? 0 : lockTimeoutNanos / 3 - (now - confirmedNanos);
    }

    /** Whether less than a tenth of the lease is left, or 200 ms, and no extension was confirmed. */
    boolean mayEndSoon(long now) {
        long margin = Math.max(LEAST_MARGIN_NANOS, lockTimeoutNanos / 10);
        return now - confirmedNanos >= lockTimeoutNanos - margin;
    }

    /**
     * The row was locked when an extension was attempted at this time. While the handler's own transaction holds it, no
     * other worker can take it, and that transaction renews the lease.
     *
     * @return whether that counts as a confirmation
     */
    boolean busy(long sentNanos) {
        if (ownTransactionHoldsRow) {
            confirm(sentNanos);
        }
        return ownTransactionHoldsRow;
    }

    /** Whether a transaction of the handler itself holds the row lock. */
    void ownTransactionHoldsRow(boolean holds) {
        ownTransactionHoldsRow = holds;
        if (!holds) {
            extendSoon();
        }
    }
}
