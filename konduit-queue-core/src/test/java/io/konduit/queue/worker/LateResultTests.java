package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.DoNotRetryException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.LeaseLostException;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.SqlFile;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.StoredIncident;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A worker that was thought dead comes back with its result: nothing is changed by it, and that it came is evidence. */
class LateResultTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    QueueFixture recovery;
    final Report report = new Report();

    @BeforeEach
    void setUp() {
        recovery = new QueueFixture(harness.database());
        harness.testDatabase().execute("create table if not exists effect (what text not null)", "truncate effect");
    }

    @AfterEach
    void letHandlersEnd() {
        report.goOn.values().forEach(CountDownLatch::countDown);
    }

    /** A handler whose runs wait until the test lets them go on, and do not care for interrupts. */
    static class Report {
        final Map<Long, CountDownLatch> goOn = new ConcurrentHashMap<>();
        final Queue<Long> started = new ConcurrentLinkedQueue<>();

        @JobHandler("report")
        void write(TaskContext task) {
            pause(task);
        }

        @JobHandler("failing")
        void fail(TaskContext task) {
            pause(task);
            throw new DoNotRetryException("it failed");
        }

        @JobHandler(value = "transactional", transactional = true)
        void writeInTheTasksTransaction(TaskContext task) {
            harness.jdbc().sql("insert into effect values ('transactional')").update();
            pause(task);
        }

        private void pause(TaskContext task) {
            CountDownLatch latch = goOn.computeIfAbsent(task.fencingToken(), epoch -> new CountDownLatch(1));
            started.add(task.fencingToken());
            boolean ended = false;
            while (!ended) {
                try {
                    ended = latch.await(60, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    ended = false;
                }
            }
        }
    }

    /** What has become of the task when its first owner reports. */
    enum Fate {
        ANOTHER_WORKER_HOLDS_IT("RUNNING"),
        COMPLETED("COMPLETED"),
        HELD("HELD"),
        PRUNED("GONE"),
        CANCELLED("CANCELLED");

        private final String status;

        Fate(String status) {
            this.status = status;
        }

        LeaseLost.Reason reason() {
            return this == CANCELLED ? LeaseLost.Reason.CANCELLED : LeaseLost.Reason.TAKEN_BACK;
        }
    }

    @ParameterizedTest
    @EnumSource(Fate.class)
    @Tag("F1")
    @Tag("F2")
    void lateCompletionIsRefused(Fate fate) {
        // one slot, which stays busy: the worker does not claim its own task again
        harness.startWorker(With.concurrency(1), report);
        TaskId id = start(TaskRequest.of("report", null).reapable(fate != Fate.HELD));
        befall(fate, id);
        String row = rowText(id);

        report.goOn.get(1L).countDown();

        await().untilAsserted(() -> assertThat(harness.events()).isNotEmpty());
        assertThat(harness.events()).containsExactly(new LeaseLost(id, "report", "default", 1, fate.reason()));
        assertThat(harness.status(id)).isEqualTo(fate.status);
        assertThat(rowText(id)).as("nothing changed").isEqualTo(row);
        await().untilAsserted(() -> assertThat(recovery.incidents(id).get(0))
                .returns(1L, StoredIncident::leaseEpoch)
                .returns("COMPLETED", StoredIncident::lateOutcome));
        assertThat(recovery.incidents(id).get(0).lateOutcomeAt()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(Fate.class)
    @Tag("F1")
    @Tag("F2")
    void lateFailureIsRefused(Fate fate) {
        harness.startWorker(With.concurrency(1), report);
        TaskId id = start(TaskRequest.of("failing", null).reapable(fate != Fate.HELD));
        befall(fate, id);
        String row = rowText(id);

        report.goOn.get(1L).countDown();

        await().untilAsserted(
                        () -> assertThat(recovery.incidents(id).get(0)).returns("FAILED", StoredIncident::lateOutcome));
        assertThat(harness.events()).containsExactly(new LeaseLost(id, "failing", "default", 1, fate.reason()));
        assertThat(rowText(id)).as("nothing changed").isEqualTo(row);
    }

    @Test
    @Tag("F1")
    @Tag("F2")
    void lateCompletionIsRefusedAlsoWhenTheSameWorkerHoldsTheTaskAgain() {
        harness.startWorker(With.concurrency(2), report);
        TaskId id = start(TaskRequest.of("report", null));
        takeAway(id);
        recovery.makeDue(id);
        // claimed again while the older run goes on, and given back
        await().until(() -> Integer.valueOf(1).equals(recovery.row(id).uncharged()));

        report.goOn.get(1L).countDown();
        await().untilAsserted(() ->
                assertThat(recovery.incidents(id).get(0)).returns("COMPLETED", StoredIncident::lateOutcome));
        await().until(() -> report.started.contains(3L));
        recovery.assertThatTask(id).isRunning().hasEpoch(3L);
        report.goOn.get(3L).countDown();

        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
        assertThat(recovery.incidents(id)).singleElement().satisfies(incident -> assertThat(incident)
                .returns("COMPLETED", StoredIncident::outcome));
    }

    /**
     * A failover has lost the claim: the same worker gets the same epoch again. Only it can tell its two runs apart.
     */
    @Test
    @Tag("F1")
    void olderRunIsDroppedAlsoWhenAFailoverHasMadeTheEpochsEqual() {
        QueueDatabase database = harness.database();
        LeaseRepository leases = recovery.newWorker();
        ActiveLeases active = new ActiveLeases();
        Completer completer = Completers.of(harness, database, leases, active, QueueMonitor.NONE);
        TaskId id = recovery.queue().enqueue("report", null);
        RunningTask older = new RunningTask(recovery.claimOne(leases), Duration.ZERO, 0);
        active.add(older);
        recovery.bulk(
                "update konduit_task set status = 'PENDING', attempts = 0, lease_epoch = 0, locked_by = null,"
                        + " locked_at = null, lock_timeout_at = null",
                statement -> {});
        RunningTask newer = new RunningTask(recovery.claimOne(leases), Duration.ZERO, 0);
        active.add(newer);
        assertThat(newer.lease()).isEqualTo(older.lease());

        completer.write(List.of(new Outcome.Completed(older)));

        assertThat(harness.status(id)).isEqualTo("RUNNING");
        completer.write(List.of(new Outcome.Completed(newer)));
        assertThat(harness.status(id)).isEqualTo("COMPLETED");
    }

    @ParameterizedTest
    @ValueSource(ints = {TransactionDefinition.PROPAGATION_REQUIRED, TransactionDefinition.PROPAGATION_REQUIRES_NEW})
    @Tag("F3")
    void transactionOfALostRunIsRolledBack(int propagation) {
        FencedRun run = new FencedRun(propagation);

        assertThatThrownBy(() -> run.transaction.executeWithoutResult(status -> {
                    harness.jdbc().sql("insert into effect values ('late')").update();
                    recovery.reclaimer().reclaimOnce();
                }))
                .isInstanceOf(LeaseLostException.class)
                .hasMessageStartingWith("The lease on task " + run.id + " (report, attempt 1) was lost before");

        assertThat(effects()).isZero();
        assertThat(run.task.ended()).isEqualTo(RunningTask.End.LOST);
        assertThat(harness.status(run.id)).isEqualTo("PENDING");
    }

    @Test
    @Tag("F3")
    void transactionOfALeaseHolderIsCommittedAlsoWhenTheLeaseHasExpired() {
        FencedRun run = new FencedRun(TransactionDefinition.PROPAGATION_REQUIRED);

        run.transaction.executeWithoutResult(status ->
                harness.jdbc().sql("insert into effect values ('in time')").update());

        assertThat(effects()).isEqualTo(1);
        assertThat(harness.status(run.id)).isEqualTo("RUNNING");
    }

    /** The limit is for the application's statements. The fence's must not fail by it, or Spring would commit. */
    @Test
    @Tag("F3")
    void transactionOfALostRunIsRolledBackAlsoWhenItsTimeIsOver() {
        FencedRun run = new FencedRun(TransactionDefinition.PROPAGATION_REQUIRED);
        run.transaction.setTimeout(5);

        assertThatThrownBy(() -> run.transaction.executeWithoutResult(status -> {
                    harness.jdbc().sql("insert into effect values ('late')").update();
                    recovery.reclaimer().reclaimOnce();
                    letItsTimePass();
                }))
                .isInstanceOf(LeaseLostException.class);

        assertThat(effects()).isZero();
    }

    @Test
    @Tag("F3")
    void transactionOfARunThatHoldsItsLeaseIsCommittedAlsoWhenItsTimeIsOver() {
        FencedRun run = new FencedRun(TransactionDefinition.PROPAGATION_REQUIRED);
        run.transaction.setTimeout(5);

        run.transaction.executeWithoutResult(status -> {
            harness.jdbc().sql("insert into effect values ('in time')").update();
            letItsTimePass();
        });

        assertThat(effects()).isEqualTo(1);
    }

    /** Spring commits after an exception of this kind. */
    @Test
    @Tag("F3")
    void fenceThatFailsWithATransactionExceptionRollsBack() {
        StatementProbe probe = new StatementProbe(harness.testDatabase().dataSource());
        FencedRun run = new FencedRun(TransactionDefinition.PROPAGATION_REQUIRED, QueueFixture.databaseOn(probe));
        probe.onceBefore("for share", () -> {
            throw new TransactionTimedOutException("as it would be with a deadline");
        });

        assertThatThrownBy(() -> run.transaction.executeWithoutResult(status -> JdbcClient.create(probe)
                        .sql("insert into effect values ('unchecked')")
                        .update()))
                .isInstanceOf(DataAccessException.class)
                .hasMessageContaining("could not be checked")
                .hasCauseInstanceOf(TransactionTimedOutException.class);

        assertThat(effects()).isZero();
    }

    /** A statement of the application in a callback before the commit ran out of time, and nobody asked the fence. */
    @Test
    @Tag("F3")
    void transactionThatSpringNeitherCommitsNorRollsBackIsRolledBack() {
        FencedRun run = new FencedRun(TransactionDefinition.PROPAGATION_REQUIRED);

        assertThatThrownBy(() -> run.transaction.executeWithoutResult(status -> {
                    harness.jdbc()
                            .sql("insert into effect values ('unchecked')")
                            .update();
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void beforeCommit(boolean readOnly) {
                            throw new TransactionTimedOutException("as a statement of the application would");
                        }
                    });
                }))
                .isInstanceOf(TransactionTimedOutException.class);

        assertThat(effects()).isZero();
    }

    private static void letItsTimePass() {
        ConnectionHolder holder = (ConnectionHolder) TransactionSynchronizationManager.getResource(
                harness.testDatabase().dataSource());
        assertThat(holder.hasTimeout()).isTrue();
        holder.setTimeoutInMillis(-1);
    }

    /** A run on the test's own thread whose lease has expired and whose transactions are fenced, as a worker's are. */
    private final class FencedRun {
        final TaskId id;
        final RunningTask task;
        final TransactionTemplate transaction;

        FencedRun(int propagation) {
            this(propagation, harness.database());
        }

        FencedRun(int propagation, QueueDatabase database) {
            LeaseRepository leases =
                    new LeaseRepository(database, recovery.newWorker().worker());
            LeaseFence fence = new LeaseFence(database, leases);
            DataSourceTransactionManager manager = new DataSourceTransactionManager(database.application());
            manager.addListener(fence);
            transaction = new TransactionTemplate(manager);
            transaction.setPropagationBehavior(propagation);
            task = new RunningTask(recovery.orphan(leases), Duration.ZERO, 0);
            id = TaskId.of(task.task().id());
            fence.bind(task);
        }
    }

    @Test
    @Tag("F4")
    void effectsOfALostTransactionalRunAreRolledBack() {
        harness.startWorker(With.concurrency(1), report);
        TaskId id = start(TaskRequest.of("transactional", null));
        takeAway(id);

        report.goOn.get(1L).countDown();

        await().untilAsserted(() -> assertThat(harness.events())
                .containsExactly(new LeaseLost(id, "transactional", "default", 1, LeaseLost.Reason.TAKEN_BACK)));
        assertThat(effects()).isZero();
        assertThat(harness.status(id)).isEqualTo("PENDING");
    }

    @Test
    @Tag("F6")
    void retryAfterALostReplyIsNoLostLease() {
        StatementProbe probe = new StatementProbe(harness.testDatabase().dataSource());
        QueueDatabase database = QueueFixture.databaseOn(probe);
        LeaseRepository leases =
                new LeaseRepository(database, recovery.newWorker().worker());
        ActiveLeases active = new ActiveLeases();
        Completer completer = Completers.of(harness, database, leases, active, QueueMonitor.NONE);
        TaskId id = recovery.queue().enqueue("report", null);
        RunningTask run = new RunningTask(recovery.claimOne(leases), Duration.ZERO, 0);
        active.add(run);
        List<Outcome> outcomes = List.of(new Outcome.Completed(run));
        probe.loseReplyOf(SqlFile.opening("complete"));

        assertThat(completer.write(outcomes)).as("to be tried again").isEqualTo(outcomes);
        assertThat(harness.status(id)).as("the statement itself got through").isEqualTo("COMPLETED");
        assertThat(completer.write(outcomes)).isEmpty();

        assertThat(harness.events()).isEmpty();
        assertThat(active.isEmpty()).isTrue();
    }

    @Test
    @Tag("F6")
    void lostReplyIsALostLeaseWhenTheTaskWasTakenMeanwhile() {
        StatementProbe probe = new StatementProbe(harness.testDatabase().dataSource());
        LeaseRepository leases = new LeaseRepository(
                QueueFixture.databaseOn(probe), recovery.newWorker().worker());
        ClaimedTask task = recovery.running(leases);
        probe.onceBefore(SqlFile.opening("complete"), () -> {
            throw new java.sql.SQLException("The question was lost.", "08006");
        });
        assertThatThrownBy(() -> leases.complete(List.of(task.lease()))).isInstanceOf(DataAccessException.class);
        takeAway(TaskId.of(task.id()));

        assertThat(leases.complete(List.of(task.lease()))).isEmpty();
    }

    /** Enqueues the task and waits until the worker runs it. */
    private TaskId start(TaskRequest request) {
        TaskId id = harness.queue(report).enqueue(request);
        await().until(() -> report.started.contains(1L));
        return id;
    }

    /** The reaper takes the task back, and it is not due before the test says so. */
    private void takeAway(TaskId id) {
        harness.expireLease(id.value(), Duration.ofSeconds(1));
        assertThat(recovery.reclaimer().reclaimOnce().total()).isEqualTo(1);
        harness.testDatabase()
                .execute("update konduit_task set run_at = run_at + interval '1 day' where status = 'PENDING'");
    }

    private void befall(Fate fate, TaskId id) {
        if (fate == Fate.CANCELLED) {
            assertThat(recovery.queue().cancel(id)).isTrue();
            return;
        }
        takeAway(id);
        if (fate == Fate.HELD) {
            return;
        }
        recovery.makeDue(id);
        LeaseRepository other = recovery.newWorker();
        ClaimedTask taken = recovery.claimOne(other);
        if (fate == Fate.ANOTHER_WORKER_HOLDS_IT) {
            return;
        }
        assertThat(other.complete(List.of(taken.lease()))).hasSize(1);
        if (fate == Fate.PRUNED) {
            harness.testDatabase().execute("delete from konduit_task_history where id = " + id);
        }
    }

    private String rowText(TaskId id) {
        return harness.jdbc()
                .sql("select t::text from konduit_tasks t where id = :id")
                .param("id", id.value())
                .query(String.class)
                .optional()
                .orElse("gone");
    }

    private long effects() {
        return recovery.count("select count(*) from effect");
    }
}
