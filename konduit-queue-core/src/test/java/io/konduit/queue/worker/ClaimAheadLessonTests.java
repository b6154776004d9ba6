package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.FaultyDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker that has claimed too much learns from it. */
@Timeout(60)
class ClaimAheadLessonTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private class Jobs {
        @JobHandler("quick")
        void quick() {}

        @JobHandler("slow")
        void slow() throws InterruptedException {
            mayEnd.await(60, TimeUnit.SECONDS);
        }
    }

    /** Everything that waited was claimed and given back once a second, at attempt 19 after 20 s once. */
    @Test
    void slowTasksAfterQuickOnesAreClaimedAheadOnce() {
        FaultyDataSource control = new FaultyDataSource(harness.testDatabase().dataSource());
        try (ControlPool pool = new ControlPool(control, 2, Duration.ofSeconds(5))) {
            QueueDatabase database = new QueueDatabase(harness.testDatabase().dataSource(), pool, null);
            WorkerLifecycle worker = harness.startWorker(
                    database,
                    With.all(With.concurrency(4), With.lockTimeout(Duration.ofSeconds(1))),
                    QueueHarness.quickRetries(),
                    new Jobs());
            enqueue("quick", 500);
            await().until(() -> number("select count(*) from konduit_task_history") == 500);
            enqueue("slow", 1_000);
            await().until(() -> number("select count(*) from konduit_task where status = 'RUNNING'") >= 4);
            control.forget();
            // the heart beats three times a second: long enough for five rounds of claims that are given back
            await().atMost(Duration.ofSeconds(30)).until(() -> control.count("konduit_worker") >= 16);

            assertThat(number("select max(attempts) from konduit_task"))
                    .as("claims of one task")
                    .isLessThanOrEqualTo(2);
            assertThat(number("select count(*) from konduit_task where status = 'RUNNING'"))
                    .as("what runs")
                    .isEqualTo(4);
            mayEnd.countDown();
            await().until(() -> number("select count(*) from konduit_task") == 0);
            worker.stop();
        } finally {
            mayEnd.countDown();
        }
    }

    private static void enqueue(String type, int count) {
        harness.queue()
                .enqueueAll(IntStream.range(0, count)
                        .mapToObj(i -> TaskRequest.of(type, i))
                        .toList());
    }

    private static long number(String sql) {
        return harness.count(sql);
    }
}
