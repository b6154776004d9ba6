package io.konduit.queue.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * What a lane has claimed and not settled. Finished work counts until its outcome is written, because a crash would
 * repeat it. Outcomes that wait for somebody's row lock are counted apart: as many as the lane has slots keep nobody
 * else waiting.
 */
final class LaneLoad {
    /** In healthy operation a group of outcomes takes far less. */
    private static final long STALL_NANOS = Duration.ofMillis(100).toNanos();

    private static final long LOOK_MILLIS = 10;

    private final int slots;
    private final Consumer<Execution> whenSettled;
    private final AtomicInteger claimed = new AtomicInteger();
    private final AtomicInteger unwritten = new AtomicInteger();
    private final AtomicInteger lockedOut = new AtomicInteger();
    private volatile long progressNanos;

    LaneLoad(int slots, Consumer<Execution> whenSettled) {
        this.slots = slots;
        this.whenSettled = whenSettled;
    }

    void claimed() {
        claimed.incrementAndGet();
    }

    void reported() {
        if (unwritten.getAndIncrement() == 0) {
            progressNanos = System.nanoTime();
        }
    }

    void lockedOut() {
        unwritten.decrementAndGet();
        lockedOut.incrementAndGet();
    }

    void settled(Execution execution, boolean wasReported, boolean wasLockedOut) {
        progressNanos = System.nanoTime();
        if (wasReported) {
            unwritten.decrementAndGet();
        } else if (wasLockedOut) {
            lockedOut.decrementAndGet();
        }
        claimed.decrementAndGet();
        whenSettled.accept(execution);
    }

    /** How much of the lane's room is taken. */
    int occupied() {
        return claimed.get() - Math.min(slots, lockedOut.get());
    }

    /** Whether outcomes pile up: at least as many as there are slots, and none has been written for a while. */
    boolean isStalled() {
        return unwritten.get() >= slots && System.nanoTime() - progressNanos > STALL_NANOS;
    }

    /** Waits while outcomes pile up, so that a crash repeats little more than one run for each slot. */
    void awaitWrites(BooleanSupplier stopped) throws InterruptedException {
        while (isStalled() && !stopped.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }
}
