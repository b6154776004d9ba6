package io.konduit.queue.worker;

import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.store.NotificationChannel;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Tells other nodes after commit that something is due: many wake-ups become one statement, on the queue's own
 * connection and thread, so that the caller neither waits nor pays.
 */
public final class Notifier implements TaskWakeUp, SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(Notifier.class);
    static final long SHORTEST_SPACING_NANOS = Duration.ofMillis(5).toNanos();
    static final long LONGEST_SPACING_NANOS = Duration.ofMillis(20).toNanos();

    private final NotificationChannel channel;
    private final Set<String> pending = new HashSet<>();
    private @Nullable Thread thread;

    public Notifier(NotificationChannel channel) {
        this.channel = channel;
    }

    @Override
    public void tasksDue(Set<String> queues) {
        synchronized (pending) {
            if (pending.addAll(queues)) {
                pending.notifyAll();
            }
        }
    }

    private void loop() {
        try {
            long spacing = SHORTEST_SPACING_NANOS;
            while (true) {
                send(take());
                TimeUnit.NANOSECONDS.sleep(spacing);
                spacing = spacingAfter(spacing, isSomethingPending());
            }
        } catch (InterruptedException e) {
            log.debug("The notifier has stopped");
        }
    }

    private Set<String> take() throws InterruptedException {
        synchronized (pending) {
            while (pending.isEmpty()) {
                pending.wait();
            }
            Set<String> taken = Set.copyOf(pending);
            pending.clear();
            return taken;
        }
    }

    /** Longer when something came meanwhile: then the enqueues do not pause, and those who were woken are busy. */
    static long spacingAfter(long nanos, boolean somethingCame) {
        return somethingCame ? Math.min(LONGEST_SPACING_NANOS, 2 * nanos) : SHORTEST_SPACING_NANOS;
    }

    private boolean isSomethingPending() {
        synchronized (pending) {
            return !pending.isEmpty();
        }
    }

    private void send(Set<String> queues) {
        try {
            channel.send(queues);
        } catch (RuntimeException e) {
            log.debug("A notification was not sent; the next poll of the others finds the tasks", e);
        }
    }

    @Override
    public synchronized void start() {
        if (thread == null) {
            thread = WorkerThreads.start("konduit-notify", this::loop);
        }
    }

    @Override
    public synchronized void stop() {
        if (thread != null) {
            thread.interrupt();
            thread = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }

    /** Stops after the worker. */
    @Override
    public int getPhase() {
        return WorkerLifecycle.PHASE - 1;
    }
}
