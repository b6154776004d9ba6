package io.konduit.queue.failover;

import io.konduit.queue.store.FailoverRepository;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the timeline on an instance that has no worker, whose beats would tell. Only while there are tasks to answer
 * for: an instance that has enqueued nothing for a while asks nothing. No lifecycle bean: Spring would make it, and the
 * database with it, in an application that makes its beans lazily and has not enqueued anything yet.
 */
public final class FailoverWatch {
    private static final Logger log = LoggerFactory.getLogger(FailoverWatch.class);

    private final FailoverRepository store;
    private final FailoverGuard guard;
    private final AcknowledgedTasks acknowledged;
    private final FailoverSettings settings;
    private final Duration interval;
    private final LongSupplier nanoTime;
    private volatile boolean running;
    private boolean known;

    public FailoverWatch(
            FailoverRepository store,
            FailoverGuard guard,
            AcknowledgedTasks acknowledged,
            FailoverSettings settings,
            Duration interval,
            LongSupplier nanoTime) {
        this.store = store;
        this.guard = guard;
        this.acknowledged = acknowledged;
        this.settings = settings;
        this.interval = interval;
        this.nanoTime = nanoTime;
    }

    /** Asks if there is something to answer for; returns whether it did. */
    boolean lookOnce() {
        long oldest = nanoTime.getAsLong() - settings.memory().toNanos();
        if (known && !acknowledged.hasSince(oldest)) {
            return false;
        }
        try {
            guard.observed(store.moment());
            known = true;
        } catch (RuntimeException | Error e) {
            log.debug("The timeline could not be asked; it will be after the interval", e);
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
