package io.konduit.queue.failover;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Whether any instance may run tasks. If none does, no crash can lose a task, and this instance looks for crashes only
 * now and then.
 *
 * <p>A worker tells all instances in the transaction of its claim that it holds leases, at most every {@link #AGAIN}.
 * So an instance that hears the others, and has neither heard nor seen that a task runs for {@link #LASTING}, knows that
 * none does. One that does not listen never knows.
 */
public final class Activity {
    /** How long a sign of activity counts. */
    public static final Duration LASTING = Duration.ofSeconds(20);
    /** How long a worker that has told the others need not do so again; much less than {@link #LASTING}. */
    public static final Duration AGAIN = Duration.ofSeconds(10);

    private final LongSupplier nanoTime;
    private volatile BooleanSupplier hears = () -> false;
    private volatile long busyNanos;
    private boolean announced;
    private long announcedNanos;

    public Activity(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.busyNanos = nanoTime.getAsLong();
    }

    /**
     * @param listening whether this instance receives notifications now
     */
    public void hearsWhile(BooleanSupplier listening) {
        busy();
        hears = listening;
    }

    /** A task runs somewhere, or may have been claimed unnoticed. */
    public void busy() {
        busyNanos = nanoTime.getAsLong();
    }

    /** Whether no task runs on any instance that could be lost with its process. */
    public boolean isQuiet() {
        return nanoTime.getAsLong() - busyNanos >= LASTING.toNanos() && hears.getAsBoolean();
    }

    /** Whether the next claim must tell the others. */
    public synchronized boolean mustAnnounce() {
        return !announced || nanoTime.getAsLong() - announcedNanos >= AGAIN.toNanos();
    }

    /**
     * The others were told.
     *
     * @param sentNanos when the claim was sent
     */
    public synchronized void announced(long sentNanos) {
        announced = true;
        announcedNanos = sentNanos;
    }
}
