package io.konduit.queue.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tasks that a slot group has claimed and not settled. Finished work counts until its outcome is written, because a
 * crash would repeat it. Outcomes that wait for a row lock held elsewhere are counted apart: up to the number of slots,
 * they do not hold up other tasks.
 */
final class SlotGroupLoad {
    /** In normal operation a batch of outcomes takes far less. */
    private static final long STALL_NANOS = Duration.ofMillis(100).toNanos();

    /** Longer than a task takes between two steps. */
    private static final long LEAK_NANOS = Duration.ofSeconds(2).toNanos();

    private static final Logger log = LoggerFactory.getLogger(SlotGroupLoad.class);

    private final int slots;
    private final Consumer<RunningTask> whenSettled;
    private final Runnable whenReported;
    private final LongSupplier nanoTime;
    private final AtomicInteger claimed = new AtomicInteger();
    private final AtomicInteger unwritten = new AtomicInteger();
    private final AtomicInteger lockedOut = new AtomicInteger();
    private volatile long progressNanos;
    private boolean leaking;
    private long leakingSinceNanos;

    /**
     * @param whenReported called when a run has ended and its outcome is on its way: that makes room, long before the
     *     outcome is written
     */
    SlotGroupLoad(int slots, Consumer<RunningTask> whenSettled, Runnable whenReported, LongSupplier nanoTime) {
        this.slots = slots;
        this.whenSettled = whenSettled;
        this.whenReported = whenReported;
        this.nanoTime = nanoTime;
    }

    void claimed() {
        claimed.incrementAndGet();
    }

    void reported() {
        if (unwritten.getAndIncrement() == 0) {
            progressNanos = nanoTime.getAsLong();
        }
        whenReported.run();
    }

    void lockedOut() {
        unwritten.decrementAndGet();
        lockedOut.incrementAndGet();
    }

    void settled(RunningTask run, boolean wasReported, boolean wasLockedOut) {
        progressNanos = nanoTime.getAsLong();
        if (wasReported) {
            unwritten.decrementAndGet();
        } else if (wasLockedOut) {
            lockedOut.decrementAndGet();
        }
        claimed.decrementAndGet();
        whenSettled.accept(run);
    }

    /**
     * Resets counts that no task accounts for. An Error can occur between any two steps of a task, and a slot group
     * that wrongly counts itself as full would stay idle forever. Called by the claiming thread, the only one that adds
     * to the load.
     *
     * @param empty whether the worker holds no lease at all
     */
    void reconcile(boolean empty) {
        if (!empty || claimed.get() == 0) {
            leaking = false;
            return;
        }
        long now = nanoTime.getAsLong();
        if (!leaking) {
            leaking = true;
            leakingSinceNanos = now;
        } else if (now - leakingSinceNanos > LEAK_NANOS) {
            log.warn("{} tasks were counted but no longer exist: they are dropped from the count", claimed.get());
            claimed.set(0);
            unwritten.set(0);
            lockedOut.set(0);
            leaking = false;
        }
    }

    /**
     * How much of the slot group's capacity is taken. While outcomes are being written, as many of them as may be
     * claimed ahead take no room: claiming, running and writing overlap. When writing stalls, they all count.
     *
     * @param ahead how many tasks may be claimed ahead
     */
    int occupied(int ahead) {
        int onTheirWay = isWriting() ? Math.min(ahead, unwritten.get()) : 0;
        return claimed.get() - Math.min(slots, lockedOut.get()) - onTheirWay;
    }

    /**
     * Whether outcomes pile up: at least as many as there are slots, and none written for a while. Then no further task
     * is started, so that a crash repeats little more than one run per slot.
     */
    boolean isStalled() {
        return unwritten.get() >= slots && !isWriting();
    }

    private boolean isWriting() {
        return nanoTime.getAsLong() - progressNanos <= STALL_NANOS;
    }
}
