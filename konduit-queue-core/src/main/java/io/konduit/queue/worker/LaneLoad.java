package io.konduit.queue.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * What a lane has claimed and not settled. Finished work counts until its outcome is written, because a crash would
 * repeat it. Outcomes that wait for somebody's row lock are counted apart: as many as the lane has slots keep nobody
 * else waiting.
 */
final class LaneLoad {
    /** In healthy operation a group of outcomes takes far less. */
    private static final long STALL_NANOS = Duration.ofMillis(100).toNanos();

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

    /**
     * How much of the lane's room is taken. While outcomes are being written, as many as may be claimed ahead are on their
     * way and take no room: claiming, running and writing go on side by side. When writing stalls, they all count.
     *
     * @param ahead how many tasks may be claimed ahead
     */
    int occupied(int ahead) {
        int onTheirWay = isWriting() ? Math.min(ahead, unwritten.get()) : 0;
        return claimed.get() - Math.min(slots, lockedOut.get()) - onTheirWay;
    }

    /**
     * Whether outcomes pile up: at least as many as there are slots, and none has been written for a while. Then nothing
     * more is begun, so that a crash repeats little more than one run for each slot.
     */
    boolean isStalled() {
        return unwritten.get() >= slots && !isWriting();
    }

    private boolean isWriting() {
        return System.nanoTime() - progressNanos <= STALL_NANOS;
    }
}
