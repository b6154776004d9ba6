package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.With;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many idle workers and few tasks: each task wakes all of them, and all but one find nothing. */
@Timeout(120)
class HerdTests {
    private static final int WORKERS = 15;
    private static final int TASKS = 100;
    private static final Duration SPACING = Duration.ofMillis(40);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Counter {
        final Semaphore done = new Semaphore(0);

        @JobHandler("count")
        void count() {
            done.release();
        }
    }

    @Test
    void idleWorkersDoNotAllClaimForEachTask() throws InterruptedException {
        Counter counter = new Counter();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase());
                ControlPool pool = new ControlPool(counted.application(), 8, Duration.ofSeconds(10))) {
            QueueDatabase database = new QueueDatabase(counted.application(), pool, null);
            for (int i = 0; i < WORKERS; i++) {
                harness.startWorker(
                        database,
                        With.all(With.concurrency(1), With.pollInterval(Duration.ofSeconds(20))),
                        QueueHarness.quickRetries(),
                        counter);
            }
            await().until(() -> claims(counted) >= WORKERS);
            counted.journal().clear();
            TaskQueue queue = harness.queue();
            for (int i = 0; i < TASKS; i++) {
                // slowly enough for all of them to notice each
                await().pollDelay(SPACING).until(() -> true);
                queue.enqueue("count", null);
                assertThat(counter.done.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(claims(counted)).isBetween((long) TASKS, 6L * TASKS);
            harness.stopWorkers();
        }
    }

    private static long claims(CountedQueue counted) {
        return counted.journal().statements().stream()
                .filter(sql -> sql.contains("T2, one statement"))
                .count();
    }
}
