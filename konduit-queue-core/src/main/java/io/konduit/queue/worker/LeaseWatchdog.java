package io.konduit.queue.worker;

import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends runs whose time is over, by this node's monotonic clock. It runs on a thread that never waits for the database.
 * It covers leases whose extension was not confirmed (H7) and runs over their limit (H6), and warns about very long
 * runs.
 */
final class LeaseWatchdog {
    private static final Logger log = LoggerFactory.getLogger(LeaseWatchdog.class);
    private static final long NAP = Duration.ofMillis(100).toNanos();
    private static final long IDLE_NAP = Duration.ofSeconds(10).toNanos();

    private final ActiveLeases active;
    private final WorkerEvents events;
    private final long warnAfterNanos;
    private final LongSupplier nanoTime;
    private volatile boolean stopped;
    private volatile boolean idle;
    private volatile @Nullable Thread thread;

    LeaseWatchdog(ActiveLeases active, WorkerEvents events, Duration warnAfter, LongSupplier nanoTime) {
        this.active = active;
        this.events = events;
        this.warnAfterNanos = warnAfter.toNanos();
        this.nanoTime = nanoTime;
    }

    /** The loop of the watchdog's thread. */
    void run() {
        thread = Thread.currentThread();
        while (!stopped) {
            QueueThreads.stepped();
            try {
                checkOnce();
            } catch (RuntimeException | Error e) {
                log.error("The lease watchdog failed unexpectedly and continues", e);
            }
            rest();
        }
    }

    /** Without leases and hanging runs there is nothing to watch. */
    private void rest() {
        idle = true;
        if (!active.isEmpty() || !active.hanging().isEmpty()) {
            idle = false;
            LockSupport.parkNanos(this, NAP);
            return;
        }
        if (!stopped) {
            LockSupport.parkNanos(this, IDLE_NAP);
        }
        idle = false;
        active.witness().rested(nanoTime.getAsLong());
    }

    /** There is a new lease. */
    void wake() {
        if (idle) {
            LockSupport.unpark(thread);
        }
    }

    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    /** Checks every lease once. */
    void checkOnce() {
        long now = nanoTime.getAsLong();
        active.witness().looked(now);
        for (RunningTask run : active.all()) {
            if (run.isOverTime(now) && run.end(RunningTask.End.TIMED_OUT)) {
                log.warn(
                        "{} is over its time limit: it is interrupted and its lease is no longer extended", run.task());
            }
            if (run.mustFence(now) && run.end(RunningTask.End.SELF_FENCED)) {
                log.warn(
                        "The lease on {} could not be confirmed and is about to expire: its handler is interrupted",
                        run.task());
            }
            if (run.becomesLong(now, warnAfterNanos)) {
                events.ranLong(run, Duration.ofNanos(warnAfterNanos));
            }
        }
        active.hanging().look(active.all(), now);
    }
}
