package io.konduit.queue.worker;

import io.konduit.queue.log.LogThrottle;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.NotificationChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hears what other nodes tell, on a connection of its own that is made again whenever it breaks. Only a speed-up. */
final class NotificationListener {
    private static final Logger log = LoggerFactory.getLogger(NotificationListener.class);
    private static final Duration SLICE = Duration.ofMillis(500);
    private static final Duration VERIFY_AFTER = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long LONGEST_PAUSE_MILLIS = 15_000;

    private final LogThrottle throttle = new LogThrottle();
    private final NotificationChannel channel;
    private final Ear ear;
    private final Duration verifyAfter;
    private volatile boolean stopped;
    private volatile boolean listening;

    /** What is done about what was heard. */
    interface Ear {
        /** These queues have something due. */
        void tasksDue(Set<String> queues);

        void receive(ControlMessage message);

        /** Notifications may have been missed. */
        void missed();
    }

    NotificationListener(NotificationChannel channel, Ear ear) {
        this(channel, ear, VERIFY_AFTER);
    }

    /**
     * @param verifyAfter how long nothing may be heard before the connection has to show that it lives
     */
    NotificationListener(NotificationChannel channel, Ear ear, Duration verifyAfter) {
        this.channel = channel;
        this.ear = ear;
        this.verifyAfter = verifyAfter;
    }

    void stop() {
        stopped = true;
    }

    /** Whether notifications come in, as far as it is known. */
    boolean isListening() {
        return listening;
    }

    /** The loop of the listening thread. */
    void run() {
        long pause = FIRST_PAUSE_MILLIS;
        while (!stopped) {
            WorkerThreads.stepped();
            try (NotificationChannel.Subscription subscription = channel.subscribe()) {
                pause = FIRST_PAUSE_MILLIS;
                listening = true;
                ear.missed();
                listen(subscription);
            } catch (RuntimeException e) {
                listening = false;
                if (!stopped) {
                    if (throttle.isDue("broke")) {
                        log.info(
                                "The listening connection broke ({}); polling goes on",
                                e.getClass().getSimpleName());
                    }
                    log.debug("The listening connection broke", e);
                    pause = sleep(pause);
                }
            }
        }
    }

    private void listen(NotificationChannel.Subscription subscription) {
        long verified = System.nanoTime();
        while (!stopped) {
            WorkerThreads.stepped();
            NotificationChannel.Heard heard = subscription.await(SLICE);
            if (!heard.isEmpty()) {
                heard.messages().forEach(ear::receive);
                if (!heard.queues().isEmpty()) {
                    ear.tasksDue(heard.queues());
                }
                verified = System.nanoTime();
            } else if (System.nanoTime() - verified > verifyAfter.toNanos()) {
                subscription.verify(PATIENCE);
                verified = System.nanoTime();
            }
        }
    }

    private long sleep(long pause) {
        try {
            TimeUnit.MILLISECONDS.sleep(pause);
        } catch (InterruptedException e) {
            log.debug("The listener was interrupted and goes on");
        }
        return Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
    }
}
