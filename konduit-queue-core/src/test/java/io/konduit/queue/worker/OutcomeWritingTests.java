package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CountedQueue;
import io.konduit.queue.LogCapture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.thread.QueueThreads;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutcomeWritingTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();
    private final ActiveLeases active = new ActiveLeases();
    private QueueDatabase database = harness.database();
    private LeaseRepository leases = harness.newWorker();
    private Completer completer = completer(QueueMonitor.NONE);
    private Thread thread;

    private Completer completer(QueueMonitor monitor) {
        return Completers.of(harness, database, leases, active, monitor);
    }

    private void start() {
        thread = QueueThreads.start("completer-test", completer::run);
    }

    @AfterEach
    void end() {
        if (thread != null) {
            thread.interrupt();
        }
    }

    private List<RunningTask> running(int count) {
        queue.enqueueAll(
                IntStream.range(0, count).mapToObj(i -> TaskRequest.of("a", i)).toList());
        return harness.claim(leases, count).stream().map(this::run).toList();
    }

    private RunningTask run(ClaimedTask task) {
        RunningTask run = new RunningTask(task, Duration.ZERO, 0);
        active.add(run);
        return run;
    }

    private static TaskId id(RunningTask run) {
        return TaskId.of(run.task().id());
    }

    private static Outcome failed(RunningTask run, String error) {
        return new Outcome.Failed(run, new Failure(run.lease(), false, Duration.ofHours(1), error));
    }

    @Test
    void outcomesThatWaitTogetherAreOneStatementForEachKind() {
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            database = counted.database();
            leases = new LeaseRepository(database, UUID.randomUUID());
            completer = completer(QueueMonitor.NONE);
            List<RunningTask> runs = running(90);
            List<Outcome> outcomes = new ArrayList<>();
            runs.subList(0, 30).forEach(each -> outcomes.add(new Outcome.Completed(each)));
            runs.subList(30, 60).forEach(each -> outcomes.add(failed(each, "x")));
            runs.subList(60, 90).forEach(each -> outcomes.add(new Outcome.GivenBack(each, Duration.ZERO)));
            assertThat(counted.statementsOf(
                            () -> assertThat(completer.write(outcomes)).isEmpty()))
                    .hasSize(3);
            assertThat(active.isEmpty()).isTrue();
        }
    }

    @Test
    void oneOutcomeThatCannotBeStoredDoesNotKeepTheOthersBack() {
        List<RunningTask> runs = running(3);
        try (LogCapture log = LogCapture.open()) {
            assertThat(completer.write(List.of(
                            failed(runs.get(0), "fine"),
                            failed(runs.get(1), "canary-4711 \0"),
                            failed(runs.get(2), "fine"))))
                    .isEmpty();
            assertThat(log.messages(Level.ERROR))
                    .singleElement()
                    .asString()
                    .startsWith(
                            "The outcome of " + runs.get(1).task()
                                    + " cannot be written. The task stays RUNNING until its lease expires and the reaper takes it back.");
            assertThat(log.everything()).doesNotContain("canary-4711");
        }
        assertThat(runs.stream().map(each -> harness.status(id(each))))
                .containsExactly("PENDING", "RUNNING", "PENDING");
        assertThat(active.isEmpty()).isTrue();
    }

    /** A task that has lost a worker is completed in a transaction, which fails in ways of its own. */
    @Test
    void outcomesOfRecoveredTasksAreWrittenWhenTheDatabaseAnswersAgain() throws Exception {
        try (ControlPool pool = new ControlPool(harness.testDatabase().dataSource(), 1, Duration.ofMillis(250))) {
            database = new QueueDatabase(harness.testDatabase().dataSource(), pool, null);
            leases = new LeaseRepository(database, UUID.randomUUID());
            completer = completer(QueueMonitor.NONE);
            RunningTask recovered = run(recoveredTask());
            try (LogCapture log = LogCapture.open()) {
                try (Connection onlyOne = pool.dataSource().getConnection()) {
                    assertThat(onlyOne.isValid(5)).isTrue();
                    start();
                    completer.report(new Outcome.Completed(recovered));
                    await().until(() -> log.everything().contains("could not be written yet"));
                }
                await().untilAsserted(
                                () -> assertThat(harness.status(id(recovered))).isEqualTo("COMPLETED"));
            }
            assertThat(thread.isAlive()).isTrue();
        }
    }

    private ClaimedTask recoveredTask() {
        queue.enqueue("a", 1);
        ClaimedTask first = harness.claimOne(harness.newWorker());
        harness.testDatabase().execute("""
                with taken as (
                  update konduit_task set status = 'PENDING', zombie_count = zombie_count + 1,
                         locked_by = null, locked_at = null, lock_timeout_at = null where id = %d returning *)
                insert into konduit_task_incident
                       (task_id, queue, type, classification, action, actor, lease_epoch, detected_at, attempts, zombie_count)
                select id, queue, type, 'ZOMBIE', 'RECLAIMED', 'test', lease_epoch, clock_timestamp(), attempts, zombie_count from taken
                """.formatted(first.id()));
        ClaimedTask again = harness.claimOne(leases);
        assertThat(again.lease().zombieCount()).isEqualTo(1);
        return again;
    }

    /** Also where the operators of a database have set a lock timeout. */
    @Test
    void outcomeOfALockedRowIsWrittenWhenTheLockIsGone() throws Exception {
        harness.testDatabase()
                .execute("alter database " + harness.testDatabase().name() + " set lock_timeout = '100ms'");
        try (ControlPool pool = new ControlPool(harness.testDatabase().dataSource(), 2, Duration.ofSeconds(5))) {
            database = new QueueDatabase(harness.testDatabase().dataSource(), pool, null);
            leases = new LeaseRepository(database, UUID.randomUUID());
            completer = completer(QueueMonitor.NONE);
            RunningTask run = running(1).get(0);
            try (Connection other = harness.testDatabase().connect();
                    Statement statement = other.createStatement();
                    LogCapture log = LogCapture.open()) {
                other.setAutoCommit(false);
                statement.execute(
                        "select 1 from konduit_task where id = " + run.task().id() + " for share");
                start();
                completer.report(new Outcome.Completed(run));
                await().until(() -> log.everything().contains("waits: its row is locked by another transaction"));
                other.rollback();
                await().untilAsserted(() -> assertThat(harness.status(id(run))).isEqualTo("COMPLETED"));
                assertThat(log.messages(Level.ERROR)).isEmpty();
            }
        } finally {
            harness.testDatabase()
                    .execute("alter database " + harness.testDatabase().name() + " reset lock_timeout");
        }
    }

    @Test
    void monitorThatThrowsHarmsNobody() {
        completer = completer(new QueueMonitor() {
            @Override
            public void completed(ClaimedTask task, Duration took) {
                throw new IllegalStateException("no");
            }
        });
        List<RunningTask> runs = running(3);
        start();
        runs.forEach(each -> completer.report(new Outcome.Completed(each)));
        await().untilAsserted(() ->
                assertThat(runs.stream().map(each -> harness.status(id(each)))).containsOnly("COMPLETED"));
        await().until(active::isEmpty);
        assertThat(thread.isAlive()).isTrue();
    }

    @Test
    @Tag("F2")
    void refusedResultIsToldOnceAndKeptAsEvidence() {
        AtomicInteger falselyReclaimed = new AtomicInteger();
        completer = completer(new QueueMonitor() {
            @Override
            public void falselyReclaimed(int tasks) {
                falselyReclaimed.addAndGet(tasks);
            }
        });
        RunningTask run = running(1).get(0);
        reclaim(run);
        completer.write(List.of(new Outcome.Completed(run)));
        assertThat(harness.status(id(run))).isEqualTo("PENDING");
        assertThat(harness.events())
                .containsExactly(new LeaseLost(id(run), "a", "default", 1, LeaseLost.Reason.TAKEN_BACK));
        assertThat(lateOutcomes()).containsExactly("COMPLETED");
        assertThat(falselyReclaimed).hasValue(1);
    }

    /** The fence finds out first and the result is dropped without asking the database: a loss all the same. */
    @Test
    @Tag("F2")
    void resultOfARunThatKnewOfItsLossIsToldOnceAndKeptAsEvidence() {
        RunningTask run = running(1).get(0);
        reclaim(run);
        run.end(RunningTask.End.LOST);
        completer.write(List.of(failed(run, "lost")));
        assertThat(harness.events())
                .containsExactly(new LeaseLost(id(run), "a", "default", 1, LeaseLost.Reason.TAKEN_BACK));
        assertThat(lateOutcomes()).containsExactly("FAILED");
        assertThat(active.isEmpty()).isTrue();
    }

    @Test
    @Tag("S8")
    void whatWasGivenBackAtTheEndOfTheDrainTimeIsNotALoss() {
        RunningTask run = running(1).get(0);
        leases.giveBack(List.of(run.lease()), Duration.ZERO);
        run.end(RunningTask.End.GIVEN_BACK);
        completer.write(List.of(new Outcome.Completed(run)));
        assertThat(harness.events()).isEmpty();
        assertThat(harness.status(id(run))).isEqualTo("PENDING");
    }

    @Test
    void endsOnlyWhenEverythingIsWritten() throws Exception {
        List<RunningTask> runs = running(20);
        runs.forEach(each -> completer.report(new Outcome.Completed(each)));
        completer.stop();
        start();
        thread.join(10_000);
        assertThat(thread.isAlive()).isFalse();
        assertThat(runs.stream().map(each -> harness.status(id(each)))).containsOnly("COMPLETED");
    }

    private void reclaim(RunningTask run) {
        harness.testDatabase().execute("""
                with taken as (
                  update konduit_task t set status = 'PENDING', zombie_count = t.zombie_count + 1,
                         locked_by = null, locked_at = null, lock_timeout_at = null
                    from konduit_task o where t.id = %d and o.id = t.id returning t.*, o.locked_by as owner)
                insert into konduit_task_incident
                       (task_id, queue, type, classification, action, actor, previous_owner, lease_epoch, detected_at, attempts, zombie_count)
                select id, queue, type, 'ZOMBIE', 'RECLAIMED', 'test', owner, lease_epoch, clock_timestamp(), attempts, zombie_count from taken
                """.formatted(run.task().id()));
    }

    private static List<String> lateOutcomes() {
        return harness.jdbc()
                .sql("select late_outcome from konduit_task_incident")
                .query(String.class)
                .list();
    }
}
