package io.konduit.queue.worker;

import io.konduit.queue.log.LogThrottle;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives notifications from other nodes on its own connection, and reconnects when that breaks. Only an optimisation.
 */
final class NotificationListener {
    private static final Logger log = LoggerFactory.getLogger(NotificationListener.class);
    private static final Duration SLICE = Duration.ofMillis(500);
    /** A session that lasted less than this is not replaced at once. */
    private static final Duration SHORT_LIFE = Duration.ofSeconds(1);

    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long LONGEST_PAUSE_MILLIS = 15_000;

    private final LogThrottle throttle = new LogThrottle();
    private final NotificationChannel channel;
    private final Callbacks callbacks;
    private final SessionDuty duty;
    private volatile boolean stopped;
    private volatile boolean listening;

    /** Called with what was received. */
    interface Callbacks {
        /** These queues have due tasks. */
        void tasksDue(Set<String> queues);

        void receive(ControlMessage message);

        /** Notifications may have been missed. */
        void missed();
    }

    /**
     * @param duty what the session must do in addition
     */
    NotificationListener(NotificationChannel channel, Callbacks callbacks, SessionDuty duty) {
        this.channel = channel;
        this.callbacks = callbacks;
        this.duty = duty;
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
        long pause = FIRST_PAUSE_MILLIS;
        while (!stopped) {
            QueueThreads.stepped();
            long begun = System.nanoTime();
            try (NotificationChannel.Subscription subscription = channel.subscribe(duty.patience())) {
                begun = System.nanoTime();
                duty.begun(subscription);
                pause = FIRST_PAUSE_MILLIS;
                listening = true;
                callbacks.missed();
                listen(subscription);
            } catch (RuntimeException e) {
                boolean lived = listening && System.nanoTime() - begun > SHORT_LIFE.toNanos();
                listening = false;
                if (!stopped) {
                    tell(e);
                    if (!lived) {
                        if (duty.broken()) {
                            callbacks.missed();
                        }
                        pause = sleep(pause);
                    }
                }
            }
        }
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
        long verified = System.nanoTime();
        while (!stopped) {
            QueueThreads.stepped();
            NotificationChannel.Heard heard = subscription.await(SLICE);
            if (!heard.isEmpty()) {
                heard.messages().forEach(callbacks::receive);
                if (!heard.queues().isEmpty()) {
                    callbacks.tasksDue(heard.queues());
                }
            }
            // received messages may have waited in the socket: only a round trip proves that the session is alive
            if (System.nanoTime() - verified > duty.verifyAfter().toNanos()) {
                verified = System.nanoTime();
                duty.verify(subscription);
            }
        }
    }

    /** Not for longer than a session may go without a round trip, which is short as soon as tasks run. */
    private long sleep(long pause) {
        long begun = System.nanoTime();
        try {
            for (long slept = 0;
                    !stopped && slept < pause && slept < duty.verifyAfter().toMillis(); ) {
                TimeUnit.MILLISECONDS.sleep(Math.min(FIRST_PAUSE_MILLIS, pause - slept));
                slept = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            }
        } catch (InterruptedException e) {
            log.debug("The listener was interrupted and continues");
        }
        return Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
    }
}
