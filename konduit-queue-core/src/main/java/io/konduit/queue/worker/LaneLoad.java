package io.konduit.queue.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a lane has claimed and not settled. Finished work counts until its outcome is written, because a crash would
 * repeat it. Outcomes that wait for somebody's row lock are counted apart: as many as the lane has slots keep nobody
 * else waiting.
 */
final class LaneLoad {
    /** In healthy operation a group of outcomes takes far less. */
    private static final long STALL_NANOS = Duration.ofMillis(100).toNanos();

    /** Longer than a task takes from one step to the next. */
    private static final long LEAK_NANOS = Duration.ofSeconds(2).toNanos();

    private static final Logger log = LoggerFactory.getLogger(LaneLoad.class);

    private final int slots;
    private final Consumer<Execution> whenSettled;
    private final AtomicInteger claimed = new AtomicInteger();
    private final AtomicInteger unwritten = new AtomicInteger();
    private final AtomicInteger lockedOut = new AtomicInteger();
    private volatile long progressNanos;
    private boolean leaking;
    private long leakingSinceNanos;

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
     * Forgets what is counted and not there. An Error can come between any two steps of a task's way, and a lane that takes
     * itself for full would be idle for ever. For the claiming thread, which alone adds to the load.
     *
     * @param empty whether the worker holds no lease at all
     */
    void reconcile(boolean empty) {
        if (!empty || claimed.get() == 0) {
            leaking = false;
            return;
        }
        long now = System.nanoTime();
        if (!leaking) {
            leaking = true;
            leakingSinceNanos = now;
        } else if (now - leakingSinceNanos > LEAK_NANOS) {
            log.warn("{} tasks are counted and not there any more: they are forgotten", claimed.get());
            claimed.set(0);
            unwritten.set(0);
            lockedOut.set(0);
            leaking = false;
        }
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
