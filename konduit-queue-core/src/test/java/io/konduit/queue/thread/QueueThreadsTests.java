package io.konduit.queue.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.LogCapture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class QueueThreadsTests {
    @Test
    void loopBeginsAgainWhateverEndsIt() {
        AtomicInteger begun = new AtomicInteger();
        List<Throwable> ends =
                List.of(new OutOfMemoryError("of the test"), new StackOverflowError(), new IllegalStateException("no"));
        try (LogCapture log = LogCapture.open()) {
            Thread thread = QueueThreads.start("loop-test", () -> {
                int number = begun.getAndIncrement();
                if (number < ends.size()) {
                    throwUnchecked(ends.get(number));
                }
            });
            assertThat(QueueThreads.join(List.of(thread), Duration.ofSeconds(20)))
                    .isTrue();
            assertThat(log.messages(Level.ERROR))
                    .hasSize(3)
                    .containsOnly("A loop of the queue ended with an error and restarts");
        }
        assertThat(begun).hasValue(4);
    }

    /** Without memory the message of the error fails too. */
    @Test
    void loopBeginsAgainAlsoWhenItsErrorCannotBeLogged() {
        AtomicInteger begun = new AtomicInteger();
        Thread thread = QueueThreads.start("loop-test", () -> {
            if (begun.getAndIncrement() == 0) {
                throw new UnspeakableError();
            }
        });
        assertThat(QueueThreads.join(List.of(thread), Duration.ofSeconds(20))).isTrue();
        assertThat(begun).hasValue(2);
    }

    @Test
    void loopTellsWhenItLastWentAround() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread quiet = QueueThreads.start("quiet", () -> await().until(() -> end.getCount() == 0));
        Thread telling = QueueThreads.start("telling", () -> {
            QueueThreads.stepped();
            await().until(() -> end.getCount() == 0);
        });
        await().until(() -> QueueThreads.sinceStep(telling) != null);
        assertThat(QueueThreads.sinceStep(quiet)).isNull();
        Duration once = QueueThreads.sinceStep(telling);
        await().until(() -> QueueThreads.sinceStep(telling).compareTo(once) > 0);
        end.countDown();
        telling.join();
        quiet.join();
    }

    private static final class UnspeakableError extends Error {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("of the test");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new OutOfMemoryError("of the test");
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwUnchecked(Throwable error) throws E {
        throw (E) error;
    }
}
