package io.konduit.queue.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class EventThreadTests {
    private static final Duration BRIEF = Duration.ofMillis(50);

    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final List<Object> heard = new CopyOnWriteArrayList<>();

    private void block() {
        try {
            mayEnd.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void publishesInOrderOnAThreadOfItsOwn() {
        EventThread thread = new EventThread();
        QueueEvents events = new QueueEvents(
                event -> heard.add(event + " on " + Thread.currentThread().getName()), thread::tell);
        IntStream.range(0, 1_000).forEach(events::publish);
        thread.stop();
        assertThat(heard)
                .containsExactlyElementsOf(IntStream.range(0, 1_000)
                        .mapToObj(i -> i + " on konduit-events")
                        .toList());
    }

    @Test
    void dropsTheNewestWhenTooManyWaitAndWarnsOncePerBurst() {
        EventThread thread = new EventThread(10, Duration.ofSeconds(10));
        try (CapturedLog log = CapturedLog.ofPackageOf(EventThread.class)) {
            thread.tell(this::block);
            IntStream.range(0, 100).forEach(i -> thread.tell(() -> heard.add(i)));
            assertThat(log.at(Level.WARN))
                    .containsExactly(
                            "The application's listeners are slower than the queue: 10 events wait, and new ones are dropped until it has caught up");
            mayEnd.countDown();
            await().until(() -> log.at(Level.WARN).size() == 2);
            assertThat(log.at(Level.WARN).get(1))
                    .isEqualTo("The application's listeners have caught up; 91 events were dropped");
            thread.tell(() -> heard.add("later"));
            thread.stop();
        }
        assertThat(heard).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, "later");
    }

    @Test
    void stopDoesNotWaitForeverForAListenerThatHangs() {
        EventThread thread = new EventThread(10, BRIEF);
        try (CapturedLog log = CapturedLog.ofPackageOf(EventThread.class)) {
            thread.tell(this::block);
            thread.stop();
            assertThat(log.at(Level.WARN))
                    .containsExactly("1 events were not delivered before the application stopped");
        } finally {
            mayEnd.countDown();
        }
    }

    @Test
    void whatACallThrowsDoesNotEndTheThread() {
        EventThread thread = new EventThread();
        thread.tell(() -> {
            throw new AssertionError("no");
        });
        thread.tell(() -> heard.add("next"));
        thread.stop();
        assertThat(heard).containsExactly("next");
    }

    @Test
    void threadEndsWithTheApplication() {
        EventThread thread = new EventThread();
        thread.start();
        thread.tell(() -> heard.add(Thread.currentThread()));
        thread.stop();
        assertThat(heard).hasSize(1);
        await().until(() -> !((Thread) heard.get(0)).isAlive());
    }

    @Test
    void canBeStartedAndStoppedAgain() {
        EventThread thread = new EventThread();
        for (int i = 0; i < 2; i++) {
            thread.start();
            assertThat(thread.isRunning()).isTrue();
            thread.tell(() -> heard.add("event"));
            thread.stop();
            assertThat(thread.isRunning()).isFalse();
        }
        assertThat(heard).hasSize(2);
    }
}
