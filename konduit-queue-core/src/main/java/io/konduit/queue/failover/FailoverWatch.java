package io.konduit.queue.failover;

import io.konduit.queue.store.FailoverRepository;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the timeline on an instance without a worker, which has no heartbeats. It does so only while there are recent
 * tasks to check: an instance that has enqueued nothing for a while sends nothing. Not a lifecycle bean: Spring would
 * create it, and the database with it, in an application with lazy beans that has not enqueued anything yet.
 */
public final class FailoverWatch {
    private static final Logger log = LoggerFactory.getLogger(FailoverWatch.class);

    private final FailoverRepository store;
    private final FailoverGuard guard;
    private final Duration interval;
    private final LongSupplier nanoTime;
    private volatile boolean running;
    private boolean known;

    public FailoverWatch(FailoverRepository store, FailoverGuard guard, Duration interval, LongSupplier nanoTime) {
        this.store = store;
        this.guard = guard;
        this.interval = interval;
        this.nanoTime = nanoTime;
    }

    /** Reads the timeline if there are tasks to check; returns whether it did. */
    boolean lookOnce() {
        if (known && !guard.answersForTasks()) {
            return false;
        }
        try {
            guard.observed(store.serverTime());
            known = true;
        } catch (RuntimeException | Error e) {
            log.debug("The timeline could not be read; will retry after the interval", e);
        }
        return true;
    }

    /** Starts its thread, once. */
    public synchronized void start() {
        if (!running) {
            running = true;
            Thread thread = new Thread(this::loop, "konduit-failover-watch");
            thread.setDaemon(true);
            thread.start();
        }
    }

    public synchronized void stop() {
        running = false;
        notifyAll();
    }

    private void loop() {
        try {
            while (running) {
                lookOnce();
                pause();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void pause() throws InterruptedException {
        long end = nanoTime.getAsLong() + interval.toNanos();
        for (long left = interval.toNanos(); running && left > 0; left = end - nanoTime.getAsLong()) {
            wait(left / 1_000_000 + 1);
        }
    }
}
