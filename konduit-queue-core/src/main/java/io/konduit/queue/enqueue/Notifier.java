package io.konduit.queue.enqueue;

import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.ControlReceiver;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.thread.Phases;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Notifies other nodes after the commit that tasks are due, and forwards control messages. Many wake-ups become one
 * statement, on the queue's own connection and thread, so that the caller neither waits nor pays.
 */
public final class Notifier implements TaskWakeUp, ControlReceiver, SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(Notifier.class);
    static final long SHORTEST_SPACING_NANOS = Duration.ofMillis(5).toNanos();
    static final long LONGEST_SPACING_NANOS = Duration.ofMillis(20).toNanos();
    static final long LONGEST_PAUSE_NANOS = Duration.ofMillis(200).toNanos();
    private static final int PAUSE_PER_SENDING = 9;

    private final NotificationChannel channel;
    private final Set<String> pending = new HashSet<>();
    private final Set<ControlMessage> messages = new HashSet<>();
    /** When the next task of a queue is due that the others do not know of. */
    private final Map<String, Long> later = new HashMap<>();
    /** When the others look at a queue, because they were told so. */
    private final Map<String, Long> told = new HashMap<>();

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

    /** Whoever looks at a queue then asks when its next task is due: tasks that are due after that need no message. */
    @Override
    public void tasksDueIn(String queue, Duration delay) {
        if (delay.compareTo(FORESIGHT) > 0) {
            return;
        }
        long now = System.nanoTime();
        long due = now + delay.toNanos();
        synchronized (pending) {
            Long known = told.get(queue);
            if (known != null && known - now > 0 && known - due <= 0) {
                return;
            }
            if (earlier(later.get(queue), due)) {
                later.put(queue, due);
                pending.notifyAll();
            }
        }
    }

    private static boolean earlier(@Nullable Long before, long due) {
        return before == null || due - before < 0;
    }

    @Override
    public void receive(ControlMessage message) {
        synchronized (pending) {
            if (messages.add(message)) {
                pending.notifyAll();
            }
        }
    }

    private void loop() {
        try {
            long spacing = SHORTEST_SPACING_NANOS;
            while (true) {
                NotificationChannel.Heard taken = take();
                long begun = System.nanoTime();
                send(taken);
                TimeUnit.NANOSECONDS.sleep(atLeast(spacing, System.nanoTime() - begun));
                spacing = spacingAfter(spacing, isSomethingPending());
            }
        } catch (InterruptedException e) {
            log.debug("The notifier has stopped");
        }
    }

    private NotificationChannel.Heard take() throws InterruptedException {
        synchronized (pending) {
            while (!isSomethingPending()) {
                pending.wait();
            }
            NotificationChannel.Heard taken =
                    new NotificationChannel.Heard(Set.copyOf(pending), new HashSet<>(messages));
            long now = System.nanoTime();
            told.values().removeIf(due -> due - now <= 0);
            later.forEach((queue, due) -> {
                taken.messages().add(ControlMessage.later(queue, Duration.ofNanos(due - now)));
                told.put(queue, due);
            });
            pending.clear();
            messages.clear();
            later.clear();
            return taken;
        }
    }

    /** Longer when more arrived in the meantime: enqueues are then continuous, and the woken workers are busy. */
    static long spacingAfter(long nanos, boolean somethingCame) {
        return somethingCame ? Math.min(LONGEST_SPACING_NANOS, 2 * nanos) : SHORTEST_SPACING_NANOS;
    }

    /**
     * The pause after a message. The more sessions listen, and the more instances send, the longer a message takes. So
     * each instance spends at most a tenth of its time on messages, and all together slow down before they hinder one
     * another.
     */
    static long atLeast(long spacing, long tookNanos) {
        return Math.max(spacing, Math.min(LONGEST_PAUSE_NANOS, PAUSE_PER_SENDING * tookNanos));
    }

    private boolean isSomethingPending() {
        synchronized (pending) {
            return !pending.isEmpty() || !messages.isEmpty() || !later.isEmpty();
        }
    }

    private void send(NotificationChannel.Heard taken) {
        try {
            if (!taken.messages().isEmpty()) {
                channel.sendControl(taken.messages());
            }
            if (!taken.queues().isEmpty()) {
                channel.send(taken.queues());
            }
        } catch (RuntimeException e) {
            synchronized (pending) {
                told.clear();
            }
            log.debug("A notification was not sent; other instances find the tasks at their next poll or heartbeat", e);
        }
    }

    @Override
    public synchronized void start() {
        if (thread == null) {
            thread = QueueThreads.start("konduit-notify", this::loop);
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

    /** Stops after the worker and the web server's last requests. */
    @Override
    public int getPhase() {
        return Phases.NOTIFIER;
    }
}
