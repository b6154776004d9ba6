package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.FaultyDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.RetryPolicy;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.recovery.OrphanReclaimer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Handlers that run for longer than their lease, on real threads and with short leases. */
class LongRunsTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final FaultyDataSource control =
            new FaultyDataSource(harness.testDatabase().dataSource());
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private ControlPool pool;
    private WorkerLifecycle worker;

    @BeforeEach
    void createPool() {
        pool = new ControlPool(control, 2, Duration.ofMillis(300));
    }

    @AfterEach
    void stopWorker() {
        control.heal();
        mayEnd.countDown();
        worker.stop();
        pool.close();
    }

    /** Its first run goes on until the test lets it end, whatever interrupts come. Others end at once. */
    private class Stubborn {
        final Queue<Long> started = new ConcurrentLinkedQueue<>();
        final AtomicInteger interrupts = new AtomicInteger();

        @JobHandler("stubborn")
        void run(TaskContext task) {
            started.add(task.fencingToken());
            while (task.fencingToken() == 1) {
                try {
                    mayEnd.await();
                    return;
                } catch (InterruptedException e) {
                    interrupts.incrementAndGet();
                }
            }
        }

        @JobHandler("quick")
        void end() {}
    }

    @Test
    @Tag("H4")
    void aLeaseOfOneSecondIsExtendedInTimeAgainAndAgain() {
        Stubborn handler = new Stubborn();
        start(SHORT, DRAIN, handler);
        TaskId id = harness.queue().enqueue("stubborn", null);
        await().until(() -> handler.started.size() == 1);
        await().until(() -> sinceClaim(id).compareTo(Duration.ofMillis(2_500)) > 0);
        assertThat(reaper().reclaimOnce().total()).isZero();
        mayEnd.countDown();
        completes(id);
        assertThat(attemptsAndZombies(id)).isEqualTo("1/0");
    }

    @Test
    @Tag("C1")
    @Tag("H5")
    void aTransactionThatHoldsTheTasksOwnRowForLongerThanALeaseKeepsIt() {
        AtomicBoolean interrupted = new AtomicBoolean();
        start(SHORT, DRAIN, new Object() {
            @JobHandler(value = "import", transactional = true)
            void run(TaskContext task) {
                task.checkpoint("half");
                try {
                    mayEnd.await();
                } catch (InterruptedException e) {
                    interrupted.set(true);
                }
            }
        });
        TaskId id = harness.queue().enqueue("import", null);
        await().until(() ->
                harness.status(id).equals("RUNNING") && leaseLeft(id).compareTo(SHORT.negated()) < 0);
        OrphanReclaimer reaper = reaper();
        ReclaimResult result = reaper.reclaimOnce();
        assertThat(result.busy()).as("the row is locked").isEqualTo(1);
        assertThat(result.total()).isZero();
        assertThat(reaper.untilNextExpiry(Duration.ofSeconds(30)))
                .as("a locked row is not asked for without a break")
                .isGreaterThanOrEqualTo(Duration.ofMillis(50));
        mayEnd.countDown();
        completes(id);
        assertThat(interrupted).isFalse();
        assertThat(attemptsAndZombies(id)).isEqualTo("1/0");
    }

    @Test
    @Tag("C1")
    @Tag("H5")
    void aLongTransactionThatRollsBackLeavesAFreshLeaseBehindToo() {
        List<Duration> leftAfterRollback = new CopyOnWriteArrayList<>();
        start(SHORT, DRAIN, new Object() {
            @JobHandler(value = "import", transactional = true)
            void run(TaskContext task) throws InterruptedException {
                if (task.attempt() > 1) {
                    return;
                }
                task.checkpoint("half");
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCompletion(int status) {
                        leftAfterRollback.add(leaseLeft(task.id()));
                    }
                });
                mayEnd.await();
                throw new IllegalStateException("the import failed");
            }
        });
        TaskId id = harness.queue().enqueue("import", null);
        await().until(() ->
                harness.status(id).equals("RUNNING") && leaseLeft(id).compareTo(SHORT.negated()) < 0);
        mayEnd.countDown();
        completes(id);
        assertThat(leftAfterRollback).singleElement().satisfies(left -> assertThat(left)
                .isPositive());
        assertThat(attemptsAndZombies(id)).isEqualTo("2/0");
    }

    @Test
    @Tag("H7")
    @Tag("X6")
    void workerThatIsCutOffInterruptsItsHandlerBeforeItsLeaseEndsAndRecovers() {
        List<Duration> leftAtInterrupt = new CopyOnWriteArrayList<>();
        AtomicInteger runs = new AtomicInteger();
        start(Duration.ofSeconds(2), DRAIN, new Object() {
            @JobHandler("long")
            void run(TaskContext task) throws InterruptedException {
                if (runs.incrementAndGet() == 1) {
                    try {
                        mayEnd.await();
                    } catch (InterruptedException e) {
                        leftAtInterrupt.add(leaseLeft(task.id()));
                        throw e;
                    }
                }
            }

            @JobHandler("quick")
            void end() {}
        });
        TaskId id = harness.queue().enqueue("long", null);
        await().until(() -> runs.get() == 1);
        control.goDown();
        TaskId unclaimed = harness.queue().enqueue("quick", null);
        await().until(() -> leftAtInterrupt.size() == 1);
        assertThat(leftAtInterrupt.get(0)).as("what was left of the lease").isPositive();
        assertThat(harness.status(unclaimed)).isEqualTo("PENDING");
        control.heal();
        completes(unclaimed);
        completes(id);
        assertThat(attemptsAndZombies(id)).isEqualTo("1/0");
        assertThat(harness.jdbc()
                        .sql("select max_attempts from konduit_tasks where id = :id")
                        .param("id", id.value())
                        .query(Integer.class)
                        .single())
                .as("given back, its attempt not charged")
                .isEqualTo(3);
    }

    @Test
    @Tag("H7")
    void nothingIsClaimedWhileHeartbeatsFailAlthoughClaimsWouldGetThrough() {
        start(SHORT, DRAIN, new Stubborn());
        control.breakStatements(sql -> sql.contains("konduit_worker"));
        await().until(() -> {
            control.forget();
            return await().until(() -> control.count("konduit_worker"), beats -> beats >= 2) > 0
                    && control.count("status = 'PENDING'") == 0;
        });
        TaskId id = harness.queue().enqueue("quick", null);
        control.forget();
        await().until(() -> control.count("konduit_worker") >= 3);
        assertThat(harness.status(id)).isEqualTo("PENDING");
        control.heal();
        completes(id);
    }

    @Test
    @Tag("H6")
    @Tag("X4")
    void aHandlerThatHangsBeyondItsLimitIsNotExtendedAndTheReaperTakesItsTask() {
        Stubborn handler = new Stubborn();
        start(SHORT, DRAIN, handler);
        TaskId id = harness.queue().enqueue(TaskRequest.of("stubborn", null).timeout(Duration.ofMillis(200)));
        await().until(() -> handler.interrupts.get() == 1);
        OrphanReclaimer reaper = reaper();
        await().until(() -> reaper.reclaimOnce().reclaimed() == 1);
        assertThat(handler.started).containsExactly(1L);
        mayEnd.countDown();
        await().untilAsserted(() -> assertThat(lateOutcome(id)).isEqualTo("COMPLETED"));
        completes(id);
        assertThat(handler.started).hasSize(2);
        assertThat(attemptsAndZombies(id)).isEqualTo("2/1");
    }

    @Test
    @Tag("H6")
    void aHandlerThatHeedsTheInterruptOfItsLimitFailsAndIsTriedAgain() {
        AtomicInteger runs = new AtomicInteger();
        start(LONG, DRAIN, new Object() {
            @JobHandler(value = "slow", timeout = "200ms")
            void run() throws InterruptedException {
                if (runs.incrementAndGet() == 1) {
                    mayEnd.await();
                }
            }
        });
        TaskId id = harness.queue().enqueue("slow", null);
        completes(id);
        assertThat(attemptsAndZombies(id)).isEqualTo("2/0");
    }

    @Test
    @Tag("F1")
    @Tag("F2")
    void lateCompletionIsRefusedAlsoWhenTheSameWorkerHoldsTheTaskAgain() {
        Stubborn handler = new Stubborn();
        start(LONG, DRAIN, handler);
        TaskId id = harness.queue().enqueue("stubborn", null);
        await().until(() -> handler.started.size() == 1);
        harness.expireLease(id.value(), Duration.ofMillis(1));
        assertThat(reaper().reclaimOnce().reclaimed()).isEqualTo(1);
        // this worker claims it again, finds that it still runs, and gives it back
        await().until(() -> harness.jdbc()
                .sql("select coalesce(uncharged, 0) = 1 from konduit_task where id = :id")
                .param("id", id.value())
                .query(Boolean.class)
                .single());
        assertThat(handler.interrupts).as("the older run was told").hasValue(1);
        assertThat(handler.started).as("not beside its older run").containsExactly(1L);
        mayEnd.countDown();
        await().untilAsserted(() -> assertThat(lateOutcome(id)).isEqualTo("COMPLETED"));
        completes(id);
        assertThat(handler.started).containsExactly(1L, 3L);
        assertThat(attemptsAndZombies(id)).isEqualTo("2/1");
    }

    @Test
    @Tag("H8")
    void leasesAreExtendedDuringAGracefulStopUntilTheLastHandlerEnds() {
        Stubborn handler = new Stubborn();
        start(SHORT, Duration.ofSeconds(30), handler);
        TaskId id = harness.queue().enqueue("stubborn", null);
        await().until(() -> handler.started.size() == 1);
        CompletableFuture<Void> stop = CompletableFuture.runAsync(worker::stop);
        await().until(() -> sinceClaim(id).compareTo(Duration.ofMillis(2_500)) > 0);
        assertThat(reaper().reclaimOnce().total()).isZero();
        assertThat(stop).isNotDone();
        mayEnd.countDown();
        await().until(stop::isDone);
        assertThat(harness.status(id)).isEqualTo("COMPLETED");
        assertThat(attemptsAndZombies(id)).isEqualTo("1/0");
    }

    @Test
    @Tag("S8")
    @Tag("L18")
    void aTaskThatWaitsToRunAloneIsGivenBackWhenTheDrainTimeIsOver() {
        Stubborn handler = new Stubborn();
        TaskId running = harness.queue().enqueue("stubborn", null);
        TaskId suspect = harness.queue().enqueue(TaskRequest.of("quick", null).delay(Duration.ofHours(1)));
        start(LONG, Duration.ofMillis(100), handler);
        await().until(() -> handler.started.size() == 1);
        harness.testDatabase()
                .execute("update konduit_task set zombie_count = 2, run_at = clock_timestamp() where id = "
                        + suspect.value());
        await().until(() -> harness.status(suspect).equals("RUNNING"));
        worker.stop();
        assertThat(harness.status(running)).isEqualTo("PENDING");
        assertThat(harness.status(suspect)).isEqualTo("PENDING");
    }

    @Test
    @Tag("H9")
    @Tag("X11")
    void anApplicationThatHasUsedUpItsPoolLosesNoLease() throws SQLException {
        try (HikariDataSource application = harness.testDatabase().newPool(2);
                ControlPool ownPool = new ControlPool(application, 2, SHORT)) {
            Stubborn handler = new Stubborn();
            start(new QueueDatabase(application, ownPool, null), SHORT, DRAIN, handler);
            TaskId id = harness.queue().enqueue("stubborn", null);
            await().until(() -> handler.started.size() == 1);
            try (Connection one = application.getConnection();
                    Connection two = application.getConnection()) {
                assertThat(one).isNotSameAs(two);
                assertThat(application.getHikariPoolMXBean().getActiveConnections())
                        .isEqualTo(2);
                await().until(() -> sinceClaim(id).compareTo(SHORT.multipliedBy(3)) > 0);
                assertThat(reaper().reclaimOnce().total()).isZero();
                TaskId next = harness.queue().enqueue("quick", null);
                completes(next);
                mayEnd.countDown();
                completes(id);
                assertThat(attemptsAndZombies(id)).isEqualTo("1/0");
            }
            worker.stop();
        }
    }

    /** A worker whose control path can be cut. */
    private void start(Duration lockTimeout, Duration drainTimeout, Object handler) {
        QueueDatabase database = new QueueDatabase(harness.testDatabase().dataSource(), pool, null);
        start(database, lockTimeout, drainTimeout, handler);
    }

    private void start(QueueDatabase database, Duration lockTimeout, Duration drainTimeout, Object handler) {
        worker = harness.startWorker(
                database,
                With.all(With.lockTimeout(lockTimeout), With.drainTimeout(drainTimeout)),
                RetryPolicy.exponential(3, Duration.ofMillis(1), 1, Duration.ofMillis(1), 0),
                handler);
    }

    private static OrphanReclaimer reaper() {
        return harness.reclaimer();
    }

    private static void completes(TaskId id) {
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
    }

    private static Duration leaseLeft(TaskId id) {
        return sinceNow(id, "lock_timeout_at");
    }

    private static Duration sinceClaim(TaskId id) {
        return sinceNow(id, "locked_at").negated();
    }

    private static Duration sinceNow(TaskId id, String column) {
        return Duration.ofMillis(harness.jdbc()
                .sql("select (extract(epoch from " + column + " - clock_timestamp()) * 1000)::bigint"
                        + " from konduit_task where id = :id")
                .param("id", id.value())
                .query(Long.class)
                .single());
    }

    private static String attemptsAndZombies(TaskId id) {
        return harness.jdbc()
                .sql("select attempts || '/' || zombie_count from konduit_tasks where id = :id")
                .param("id", id.value())
                .query(String.class)
                .single();
    }

    private static String lateOutcome(TaskId id) {
        return harness.jdbc()
                .sql("select late_outcome from konduit_task_incident"
                        + " where task_id = :id and late_outcome is not null")
                .param("id", id.value())
                .query(String.class)
                .optional()
                .orElse("none");
    }
}
