package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.JobHandler;
import io.konduit.queue.LogCapture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.SqlFile;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.settings.WorkerSettings;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A claim that was carried out without its worker hearing of it: nobody ran the tasks, so nobody is charged. */
@Tag("L13")
@Timeout(60)
class LostClaimTests {
    private static final String CLAIM = SqlFile.opening("claim");
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final StatementProbe probe =
            new StatementProbe(harness.testDatabase().dataSource());

    static class Payments {
        final Map<Long, AtomicInteger> runs = new ConcurrentHashMap<>();

        @JobHandler(value = "pay", reapable = false, maxAttempts = 1)
        void pay(TaskContext task) {
            runs.computeIfAbsent(task.id().value(), id -> new AtomicInteger()).incrementAndGet();
        }
    }

    @Test
    void claimsThatALockHeldUpForTooLongLeaveNothingBehind() throws Exception {
        Payments payments = new Payments();
        try (LogCapture log = LogCapture.open();
                ControlPool pool = new ControlPool(harness.testDatabase().dataSource(), 2, PATIENCE);
                Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            enqueue(50, "default");
            other.setAutoCommit(false);
            statement.execute("lock table konduit_task in access exclusive mode");
            startWorker(pool, With.concurrency(8), payments);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> log.messages(Level.WARN).stream().anyMatch(line -> line.contains("cannot be polled")));
            // another one is waiting for the lock by now
            await().atMost(Duration.ofSeconds(20)).until(() -> waitingForALock() > 0);
            other.commit();
            assertEachRanOnce(payments, 50);
            harness.stopWorkers();
        }
    }

    @Test
    void tasksOfAClaimWhoseReplyWasLostRunAllTheSame() {
        Payments payments = new Payments();
        enqueue(10, "default");
        try (ControlPool pool = new ControlPool(probe, 2, PATIENCE)) {
            IntStream.range(0, 3).forEach(i -> probe.loseReplyOf(CLAIM));
            startWorker(pool, With.concurrency(4), payments);
            assertEachRanOnce(payments, 10);
            harness.stopWorkers();
        }
    }

    @Test
    void eachSlotGroupRecoversItsLostClaimWhileTheOthersContinue() {
        Payments payments = new Payments();
        enqueue(100, "default");
        enqueue(100, "own");
        try (ControlPool pool = new ControlPool(probe, 4, PATIENCE)) {
            IntStream.range(0, 10).forEach(i -> probe.loseReplyOf(CLAIM));
            startWorker(
                    pool, With.all(With.queues("default", "own"), With.queueConcurrency(Map.of("own", 3))), payments);
            assertEachRanOnce(payments, 200);
            harness.stopWorkers();
        }
    }

    @Test
    void workerThatStopsRightAfterALostReplyGivesTheTasksBack() throws Exception {
        enqueue(4, "default");
        CountDownLatch lost = new CountDownLatch(1);
        try (ControlPool pool = new ControlPool(probe, 2, PATIENCE)) {
            probe.onceAfter(CLAIM, () -> {
                lost.countDown();
                // nothing of this worker gets through until it stops
                throw new java.sql.SQLException("The reply was lost.", "08006");
            });
            WorkerLifecycle worker = startWorker(pool, With.pollInterval(Duration.ofSeconds(30)), new Payments());
            lost.await();
            worker.stop();
            assertThat(count("status = 'PENDING' and max_attempts - attempts = 1"))
                    .isEqualTo(4);
        }
    }

    private WorkerLifecycle startWorker(
            ControlPool pool, java.util.function.UnaryOperator<WorkerSettings> change, Object handlers) {
        QueueDatabase database = new QueueDatabase(harness.testDatabase().dataSource(), pool, null);
        return harness.startWorker(database, change, QueueHarness.quickRetries(), handlers);
    }

    private static void enqueue(int tasks, String queue) {
        harness.queue()
                .enqueueAll(IntStream.range(0, tasks)
                        .mapToObj(i -> TaskRequest.of("pay", null).queue(queue))
                        .toList());
    }

    private static void assertEachRanOnce(Payments payments, int tasks) {
        await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(
                        harness.count("select count(*) from konduit_task_history where status = 'COMPLETED'"))
                .isEqualTo(tasks));
        assertThat(payments.runs).hasSize(tasks);
        assertThat(payments.runs.values()).allSatisfy(runs -> assertThat(runs).hasValue(1));
        assertThat(harness.count(
                        "select count(*) from konduit_task_history where zombie_count > 0 or max_attempts <> attempts"))
                .as("charged")
                .isZero();
        assertThat(count("true")).as("held or running").isZero();
        assertThat(harness.count("select count(*) from konduit_task_incident")).isZero();
    }

    private static long count(String where) {
        return harness.count("select count(*) from konduit_task where " + where);
    }

    private static long waitingForALock() {
        return harness.count(
                "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
    }
}
