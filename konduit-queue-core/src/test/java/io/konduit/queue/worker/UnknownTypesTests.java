package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.RecoveryFixture;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.With;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** S10: a worker without the handler neither runs a task nor decides anything about it. */
@Tag("S10")
@Timeout(60)
class UnknownTypesTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Other {
        @JobHandler("mail")
        void mail() {}
    }

    static class Payments {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch never = new CountDownLatch(1);
        final AtomicInteger runs = new AtomicInteger();

        @JobHandler(value = "pay", reapable = false, maxAttempts = 1)
        void pay() throws InterruptedException {
            runs.incrementAndGet();
            started.countDown();
            never.await();
        }
    }

    /** Neither the sender nor the worker that looks first knows that a payment must not run twice. */
    @Test
    @Tag("L13")
    void workerWithoutTheHandlerLeavesNoTrace() throws InterruptedException {
        TaskQueue sender = harness.queue();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            harness.startWorker(counted.database(), With.concurrency(2), QueueHarness.quickRetries(), new Other());
            TaskId id = sender.enqueue("pay", null);
            await().until(() -> claims(counted) >= 1);
            counted.journal().clear();
            await().until(() -> claims(counted) >= 3);
            assertThat(sender.find(id).orElseThrow())
                    .returns(0, Task::attempts)
                    .returns(0L, Task::leaseEpoch)
                    .satisfies(task -> assertThat(harness.jdbc()
                                    .sql(
                                            "select max_attempts is null and reapable is null from konduit_task where id = :id")
                                    .param("id", id.value())
                                    .query(Boolean.class)
                                    .single())
                            .as("left open")
                            .isTrue());

            Payments payments = new Payments();
            harness.startWorker(payments);
            payments.started.await();
            // as after kill -9
            harness.expireLease(id.value(), Duration.ofSeconds(1));
            new RecoveryFixture(harness.database()).reclaimer().reclaimOnce();
            assertThat(harness.status(id)).isEqualTo("HELD");
            assertThat(payments.runs).hasValue(1);
            payments.never.countDown();
            harness.stopWorkers();
        }
    }

    private static long claims(CountedQueue counted) {
        return counted.journal().statements().stream()
                .filter(sql -> sql.contains("T2, one statement"))
                .count();
    }
}
