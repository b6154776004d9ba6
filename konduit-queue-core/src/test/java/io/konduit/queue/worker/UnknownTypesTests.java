package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** S10: a worker without the handler neither runs a task nor decides anything about it. */
@Tag("S10")
@Timeout(60)
class UnknownTypesTests {
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

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
            new QueueFixture(harness.database()).reclaimer().reclaimOnce();
            assertThat(harness.status(id)).isEqualTo("HELD");
            assertThat(payments.runs).hasValue(1);
            payments.never.countDown();
            harness.stopWorkers();
        }
    }

    /** R2: after one look at all of them, claims begin where it ended. */
    @Test
    @Tag("R2")
    void claimsDoNotReadPastWaitingTasksOfUnknownTypesAgainAndAgain() {
        harness.testDatabase()
                .execute(
                        "set session_replication_role = replica",
                        "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                                + " select 'default', 'new', '1', 1, 'PENDING', now() - interval '1 h' + i * interval '1 ms', now()"
                                + " from generate_series(1, 200000) as i",
                        "vacuum analyze konduit_task");
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            counted.journal().explain(true);
            harness.startWorker(counted.database(), With.concurrency(2), QueueHarness.quickRetries(), new Other());
            await().until(() -> pagesOfTheLastClaim(counted) > 1_000);
            await().until(() -> pagesOfTheLastClaim(counted) < 100);
            TaskId known = harness.queue().enqueue("mail", null);
            await().until(() -> harness.status(known).equals("COMPLETED"));
            // it comes to light behind the position at which the last look ended
            TaskId old =
                    harness.queue().enqueue(TaskRequest.of("mail", null).runAt(Instant.parse("2020-01-01T00:00:00Z")));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> harness.status(old).equals("COMPLETED"));
            harness.stopWorkers();
        }
    }

    private static long pagesOfTheLastClaim(CountedQueue counted) {
        return counted.journal().plans().entrySet().stream()
                .filter(plan -> plan.getKey().contains("T2, one statement"))
                .map(plan -> BUFFERS.matcher(plan.getValue()))
                .filter(Matcher::find)
                .mapToLong(buffers -> number(buffers.group(1)) + number(buffers.group(2)))
                .findFirst()
                .orElse(-1);
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    private static long claims(CountedQueue counted) {
        return counted.journal().statements().stream()
                .filter(sql -> sql.contains("T2, one statement"))
                .count();
    }
}
