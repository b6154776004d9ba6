package io.konduit.queue.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Decides how many tasks to claim beyond the free slots: as many as recent durations say will start within 100 ms. A
 * task that waits in a worker uses up its lease and is withheld from idle workers.
 *
 * <p>Running tasks count too: a slot that has been busy for longer than 100 ms is not expected to take another task
 * soon. When buffered tasks had to be given back because they waited too long, nothing is claimed ahead until many
 * quick runs have ended. That number doubles each time.
 */
final class ClaimAhead {
    private static final long HORIZON_NANOS = Duration.ofMillis(100).toNanos();
    private static final int MAX = 4_000;
    private static final double WEIGHT = 1.0 / 16;
    private static final int RUNS_AFTER_LESSON = 128;
    private static final int MAX_DOUBLINGS = 7;
    private static final int RUNS_UNTIL_FORGOTTEN = 50_000;
    private static final long IDLE = 0;

    private final int slots;
    private final AtomicLongArray startedNanos;
    private int samples;
    private double averageNanos;
    private int lessons;
    private int quickRunsSinceLesson;

    ClaimAhead(int slots) {
        this.slots = slots;
        this.startedNanos = new AtomicLongArray(slots);
    }

    /** A slot began a task at this time. */
    void begins(int slot, long now) {
        startedNanos.setRelease(slot, now == IDLE ? 1 : now);
    }

    void ends(int slot) {
        startedNanos.setRelease(slot, IDLE);
    }

    /** A run of this duration has been settled. */
    synchronized void ran(long nanos) {
        averageNanos = samples == 0 ? nanos : averageNanos + WEIGHT * (nanos - averageNanos);
        counted();
        if (nanos < HORIZON_NANOS && lessons > 0 && ++quickRunsSinceLesson >= RUNS_UNTIL_FORGOTTEN) {
            lessons = 0;
        }
    }

    /**
     * A task that must not run twice was run. If this worker is lost, every task of this kind that waits here is held
     * for review. So none is claimed ahead, and few until many other tasks have run.
     */
    synchronized void ranOnlyOnce() {
        counted();
        averageNanos = Math.max(averageNanos, 2.0 * slots * HORIZON_NANOS);
    }

    /** Counts samples up to the number of slots. */
    private void counted() {
        if (samples < slots) {
            samples++;
        }
    }

    /** Buffered tasks had to be given back: the estimate was wrong. */
    synchronized void gaveBack() {
        lessons = Math.min(lessons + 1, MAX_DOUBLINGS + 1);
        quickRunsSinceLesson = 0;
    }

    synchronized int allowance(long now) {
        if (samples < slots || lessons > 0 && quickRunsSinceLesson < RUNS_AFTER_LESSON << (lessons - 1)) {
            return 0;
        }
        return (int) Math.min(MAX, (double) turningSlots(now) * HORIZON_NANOS / Math.max(1, averageNanos));
    }

    /** Slots that are free or have not been busy for long. */
    private int turningSlots(long now) {
        int turning = 0;
        for (int slot = 0; slot < slots; slot++) {
            long started = startedNanos.get(slot);
            if (started == IDLE || now - started < HORIZON_NANOS) {
                turning++;
            }
        }
        return turning;
    }
}
