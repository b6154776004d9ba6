package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.With;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Cancels that come while tasks are claimed, run, write checkpoints, commit, complete or are given back. */
@Timeout(120)
@Tag("H5")
class CancelRaceTests {
    private static final int TASKS = 600;

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Jobs {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobHandler("plain")
        void plain() {}

        @JobHandler("steps")
        void steps(TaskContext task) {
            for (int i = 0; i < 3; i++) {
                task.checkpoint(i);
            }
        }

        @JobHandler(value = "pay", transactional = true)
        void pay(TaskContext task) {
            harness.jdbc()
                    .sql("insert into paid (task) values (:task)")
                    .param("task", task.id().value())
                    .update();
            task.checkpoint("paid");
        }

        @JobHandler("wait")
        void await(TaskContext task) throws InterruptedException {
            started.countDown();
            mayEnd.await();
        }
    }

    @BeforeAll
    static void createTable() {
        harness.testDatabase().execute("create table paid (task bigint primary key)");
    }

    private static TaskQueue queue(WorkerLifecycle... workers) {
        return harness.engine()
                .wakeUps(Stream::empty)
                .controlReceivers(() -> Stream.of(workers))
                .build()
                .taskQueue();
    }

    @Test
    void everyTaskIsEitherCompletedOrCancelledAndNoEffectOfACancelledOneStays() {
        WorkerLifecycle worker = harness.startWorker(new Jobs());
        TaskQueue queue = queue(worker);
        Random random = new Random(4711);
        List<TaskId> all = new ArrayList<>();
        List<TaskId> cancelled = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            TaskId id = queue.enqueue(List.of("plain", "steps", "pay").get(i % 3), null);
            all.add(id);
            worker.tasksDue(Set.of("default"));
            LockSupport.parkNanos(random.nextInt(6_000_000));
            if (queue.cancel(id)) {
                cancelled.add(id);
            }
            if (i == TASKS / 2) {
                worker.stop();
                worker.start();
            }
        }
        await().untilAsserted(() ->
                assertThat(harness.count("select count(*) from konduit_task")).isZero());
        assertThat(all).allSatisfy(id -> assertThat(harness.status(id))
                .isEqualTo(cancelled.contains(id) ? "CANCELLED" : "COMPLETED"));
        assertThat(cancelled).as("some were in time, some were not").hasSizeBetween(1, TASKS - 1);
        assertThat(harness.jdbc()
                        .sql("select task from paid order by task")
                        .query(Long.class)
                        .list())
                .isEqualTo(harness.jdbc()
                        .sql(
                                "select id from konduit_task_history where type = 'pay' and status = 'COMPLETED' order by id")
                        .query(Long.class)
                        .list());
        assertThat(worker.hangingRuns()).isEmpty();
    }

    /** What others send, or forge, costs statements and nothing else. */
    @Test
    void floodOfNoticesStopsNobodyAndTheTrueOneAmongThemIsHeard() throws Exception {
        Jobs jobs = new Jobs();
        harness.startWorker(With.all(With.lockTimeout(Duration.ofDays(1)), With.listening()), jobs);
        await().until(() -> harness.testDatabase().listeners().size() == 1);
        TaskQueue silent = queue();
        TaskId id = silent.enqueue("wait", null);
        jobs.started.await();
        silent.cancel(id);
        harness.jdbc()
                .sql("select count(pg_notify('konduit_control', 'cancelled ' ||"
                        + " case when n = 50000 then :id else n + 1000000 end)) from generate_series(1, 100000) n")
                .param("id", id.value())
                .query()
                .listOfRows();
        await().untilAsserted(() -> assertThat(harness.jdbc()
                        .sql("select coalesce(late_outcome, 'none') from konduit_task_incident where task_id = :id")
                        .param("id", id.value())
                        .query(String.class)
                        .single())
                .isNotEqualTo("none"));
        TaskId next = silent.enqueue("plain", null);
        await().untilAsserted(() -> assertThat(harness.status(next)).isEqualTo("COMPLETED"));
    }
}
