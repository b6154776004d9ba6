package io.konduit.queue.worker;

import java.time.Duration;

/**
 * How many tasks to claim beyond the free slots: as many as recent durations say will start within a fraction of a
 * second. A task that waits in a worker burns its lease and is withheld from idle workers.
 */
final class ClaimAhead {
    private static final double HORIZON_NANOS = Duration.ofMillis(100).toNanos();
    private static final int MOST = 4_000;
    private static final double WEIGHT = 1.0 / 16;

    private final int slots;
    private int samples;
    private double averageNanos;

    ClaimAhead(int slots) {
        this.slots = slots;
    }

    synchronized void ran(long nanos) {
        samples++;
        averageNanos = samples == 1 ? nanos : averageNanos + WEIGHT * (nanos - averageNanos);
    }

    /**
     * A task that must not run twice was run: if this worker is lost, each of its kind that only waits here is held for
     * a person. So none is claimed ahead, and few until many others have been run.
     */
    synchronized void ranOnlyOnce() {
        samples++;
        averageNanos = Math.max(averageNanos, 2 * slots * HORIZON_NANOS);
    }

    synchronized int allowance() {
        if (samples < slots) {
            return 0;
        }
        return (int) Math.min(MOST, slots * HORIZON_NANOS / Math.max(1, averageNanos));
    }
}
