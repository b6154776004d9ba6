package io.konduit.queue.worker;

import io.konduit.queue.log.LogThrottle;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives notifications from other nodes on its own connection, and reconnects when that breaks. Only an optimisation.
 */
final class NotificationListener {
    private static final Logger log = LoggerFactory.getLogger(NotificationListener.class);
    /** A session that lasted less than this is not replaced at once. */
    private static final Duration SHORT_LIFE = Duration.ofSeconds(1);

    private static final Duration SLEEP = Duration.ofMillis(250);
    private static final long FIRST_PAUSE_MILLIS = SLEEP.toMillis();
    private static final long LONGEST_PAUSE_MILLIS = 15_000;

    private final LogThrottle throttle = new LogThrottle();
    private final NotificationChannel channel;
    private final Callbacks callbacks;
    private final SessionDuty duty;
    private final LongSupplier nanoTime;
    private volatile boolean stopped;
    private volatile boolean listening;
    private NotificationChannel.@Nullable Subscription session;
    private long begunNanos;
    private long verifiedNanos;
    private long pausedNanos;
    private long pauseMillis;
    private long nextPauseMillis = FIRST_PAUSE_MILLIS;

    /** Called with what was received. */
    interface Callbacks {
        /** These queues have due tasks. */
        void tasksDue(Set<String> queues);

        void receive(ControlMessage message);

        /** Notifications may have been missed. */
        void missed();

        /** From now on notifications are missed. */
        default void deaf() {}
    }

    /**
     * @param duty what the session must do in addition
     */
    NotificationListener(NotificationChannel channel, Callbacks callbacks, SessionDuty duty, LongSupplier nanoTime) {
        this.channel = channel;
        this.callbacks = callbacks;
        this.duty = duty;
        this.nanoTime = nanoTime;
    }

    void stop() {
        stopped = true;
    }

    /** Whether notifications arrive, as far as known. */
    boolean isListening() {
        return listening;
    }

    /** The loop of the listening thread. */
    void run() {
        try {
            while (!stopped) {
                QueueThreads.stepped();
                sleep(step());
            }
        } finally {
            listening = false;
            close();
        }
    }

    /** One step: opens a session, or listens for a while. Returns how long to wait before the next. Never throws. */
    Duration step() {
        NotificationChannel.Subscription current = session;
        if (current == null && rests()) {
            return SLEEP;
        }
        try {
            if (current == null) {
                open();
            } else {
                listen(current);
            }
        } catch (RuntimeException e) {
            failed(e);
        }
        return Duration.ZERO;
    }

    /** Ends the session. */
    void close() {
        NotificationChannel.Subscription ended = session;
        session = null;
        if (ended != null) {
            try {
                ended.close();
            } catch (RuntimeException e) {
                log.debug("The listening connection could not be closed", e);
            }
        }
    }

    private void open() {
        begunNanos = nanoTime.getAsLong();
        NotificationChannel.Subscription opened = channel.subscribe(duty.patience());
        session = opened;
        begunNanos = nanoTime.getAsLong();
        duty.begun(opened);
        nextPauseMillis = FIRST_PAUSE_MILLIS;
        listening = true;
        callbacks.missed();
        verifiedNanos = nanoTime.getAsLong();
    }

    private void failed(RuntimeException failure) {
        close();
        boolean listened = listening;
        boolean lived = listened && nanoTime.getAsLong() - begunNanos > SHORT_LIFE.toNanos();
        listening = false;
        if (!stopped) {
            tell(failure);
            if (listened) {
                callbacks.deaf();
            }
            if (!lived) {
                if (duty.broken()) {
                    callbacks.missed();
                }
                pauseMillis = nextPauseMillis;
                pausedNanos = nanoTime.getAsLong();
                nextPauseMillis = Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 2);
            }
        }
    }

    /** Not for longer than a session may go without a round trip, which is short as soon as tasks run. */
    private boolean rests() {
        long rested = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - pausedNanos);
        if (rested >= pauseMillis || rested >= duty.verifyAfter().toMillis()) {
            pauseMillis = 0;
        }
        return pauseMillis > 0;
    }

    private void tell(RuntimeException failure) {
        if (throttle.isDue("broke")) {
            log.info(
                    "The listening connection broke ({}); polling continues",
                    failure.getClass().getSimpleName());
        }
        log.debug("The listening connection broke", failure);
    }

    private void listen(NotificationChannel.Subscription subscription) {
        NotificationChannel.Heard heard = subscription.await(duty.slice());
        if (!heard.isEmpty()) {
            heard.messages().forEach(callbacks::receive);
            if (!heard.queues().isEmpty()) {
                callbacks.tasksDue(heard.queues());
            }
        }
        // received messages may have waited in the socket: only a round trip proves that the session is alive
        if (mustVerify()) {
            verify(subscription);
            // the process may have been suspended meanwhile: then the reply proves what was true long ago
            if (mustVerify()) {
                verify(subscription);
            }
        }
    }

    private boolean mustVerify() {
        return nanoTime.getAsLong() - verifiedNanos > duty.verifyAfter().toNanos();
    }

    private void verify(NotificationChannel.Subscription subscription) {
        verifiedNanos = nanoTime.getAsLong();
        duty.verify(subscription);
    }

    private void sleep(Duration pause) {
        if (pause.isZero()) {
            return;
        }
        try {
            TimeUnit.MILLISECONDS.sleep(pause.toMillis());
        } catch (InterruptedException e) {
            pauseMillis = 0;
            log.debug("The listener was interrupted and continues");
        }
    }
}
