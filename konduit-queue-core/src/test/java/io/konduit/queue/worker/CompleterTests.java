package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.FaultyDataSource;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.RunError;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CompleterTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final FaultyDataSource connections =
            new FaultyDataSource(harness.testDatabase().dataSource());
    private final ActiveLeases active = new ActiveLeases();
    private ControlPool pool;
    private LeaseRepository leases;
    private final AtomicInteger falseReclaims = new AtomicInteger();
    private Completer completer;

    @BeforeEach
    void createCompleter() {
        pool = new ControlPool(connections, 2, Duration.ofMillis(250));
        QueueDatabase database = new QueueDatabase(connections, pool, null);
        leases = new LeaseRepository(database, UUID.randomUUID());
        completer = Completers.of(harness, database, leases, active, new QueueMonitor() {
            @Override
            public void falselyReclaimed(int tasks) {
                falseReclaims.addAndGet(tasks);
            }
        });
    }

    @AfterEach
    void closePool() {
        Thread.interrupted();
        pool.close();
    }

    @Test
    @Tag("F1")
    void lateCompletionIsRefusedAlsoWhenTheSameWorkerHoldsTheTaskAgain() {
        TaskId id = harness.queue().enqueue("work", null);
        RunningTask older = claim();
        assertThat(older.begin(0)).isTrue();
        takeAway(older);
        RunningTask newer = claim();
        assertThat(newer.lease().taskId()).isEqualTo(older.lease().taskId());
        assertThat(Thread.interrupted()).as("the older run is interrupted").isTrue();
        assertThat(older.ended()).isEqualTo(RunningTask.End.SUPERSEDED);

        assertThat(completer.write(List.of(new Outcome.Completed(older)))).isEmpty();
        assertThat(harness.status(id)).isEqualTo("RUNNING");
        assertThat(leases.isHeld(newer.lease())).isTrue();
        assertThat(active.all()).as("the newer run stays known").containsExactly(newer);
        assertThat(lateOutcome(id)).isEqualTo("COMPLETED");

        completer.write(List.of(new Outcome.Completed(newer)));
        assertThat(harness.status(id)).isEqualTo("COMPLETED");
        assertThat(active.isEmpty()).isTrue();
    }

    @Test
    @Tag("F1")
    void theRowRefusesTheOlderLeaseOfTheSameWorkerAlsoWithoutTheLocalCheck() {
        TaskId id = harness.queue().enqueue("work", null);
        ClaimedTask older = harness.claimOne(leases);
        takeAway(older.id());
        ClaimedTask newer = harness.claimOne(leases);
        assertThat(leases.complete(List.of(older.lease()))).isEmpty();
        assertThat(harness.status(id)).isEqualTo("RUNNING");
        assertThat(leases.complete(List.of(newer.lease()))).containsExactly(newer.lease());
    }

    @Test
    @Tag("F1")
    void bothRunsOfOneTaskInOneBatchAreToldApart() {
        TaskId id = harness.queue().enqueue("work", null);
        RunningTask older = claim();
        takeAway(older);
        RunningTask newer = claim();
        completer.write(List.of(new Outcome.Completed(newer), new Outcome.Completed(older)));
        assertThat(harness.status(id)).isEqualTo("COMPLETED");
        assertThat(harness.events()).as("the newer run lost nothing").isEmpty();
    }

    @Test
    @Tag("F2")
    @Tag("H5")
    void theResultOfALostLeaseIsDroppedAndKeptAsEvidence() {
        TaskId id = harness.queue().enqueue("work", null);
        RunningTask lost = claim();
        takeAway(lost);
        completer.write(List.of(new Outcome.Completed(lost)));
        assertThat(harness.status(id)).isEqualTo("PENDING");
        assertThat(lateOutcome(id)).isEqualTo("COMPLETED");
        assertThat(falseReclaims).as("its worker was alive").hasValue(1);
        assertThat(harness.events())
                .containsExactly(new LeaseLost(id, "work", "default", 1, LeaseLost.Reason.TAKEN_BACK));
    }

    @Test
    @Tag("F6")
    void outcomesOfRecoveredTasksWaitForTheDatabaseToComeBack() {
        harness.queue().enqueue("completes", null);
        harness.queue().enqueue("fails", null);
        for (int i = 0; i < 2; i++) {
            takeAway(claim());
        }
        RunningTask first = claim();
        RunningTask second = claim();
        assertThat(first.lease().zombieCount()).isEqualTo(1);
        List<Outcome> outcomes = List.of(
                new Outcome.Completed(first),
                new Outcome.Failed(second, new Failure(second.lease(), true, Duration.ZERO, "boom")));
        connections.goDown();
        assertThat(completer.write(outcomes)).containsExactlyInAnyOrderElementsOf(outcomes);
        assertThat(active.all()).hasSize(2);
        connections.heal();
        AtomicReference<List<Outcome>> unwritten = new AtomicReference<>(outcomes);
        // the pool tries once a second to connect again
        await().until(() -> unwritten.updateAndGet(completer::write).isEmpty());
        assertThat(active.isEmpty()).isTrue();
        assertThat(harness.status(TaskId.of(first.task().id()))).isEqualTo("COMPLETED");
        assertThat(harness.status(TaskId.of(second.task().id()))).isEqualTo("FAILED");
    }

    @Test
    @Tag("L19")
    void evidenceOfAnInterruptedRunWaitsForTheDatabaseToComeBack() {
        TaskId id = harness.queue().enqueue("pay", null);
        RunningTask interrupted = claim();
        Thread thread = QueueThreads.start("completer", completer::run);
        connections.breakStatements(sql -> sql.contains("konduit_task_error"));
        completer.report(new Outcome.LeftToReaper(interrupted, new RunError(1, "Interrupted", null, "at Bank.pay")));
        await().until(() -> connections.count("konduit_task_error") > 0);
        connections.heal();
        await().untilAsserted(() -> assertThat(harness.jdbc()
                        .sql("select outcome from konduit_task_error where task_id = :id")
                        .param("id", id.value())
                        .query(String.class)
                        .list())
                .containsExactly("INTERRUPTED"));
        completer.stop();
        assertThat(QueueThreads.join(List.of(thread), Duration.ofSeconds(10))).isTrue();
    }

    @Test
    @Tag("F6")
    void theLoopSurvivesAnErrorThatNobodyExpected() {
        TaskId poisoned = harness.queue().enqueue("poisoned", null);
        RunningTask first = claim();
        QueueDatabase database = new QueueDatabase(connections, pool, null);
        Completer loop = Completers.of(harness, database, leases, active, new QueueMonitor() {
            @Override
            public void completed(ClaimedTask task, Duration took) {
                if (task.type().equals("poisoned")) {
                    throw new AssertionError("a broken meter");
                }
            }
        });
        Thread thread = QueueThreads.start("completer", loop::run);
        loop.report(new Outcome.Completed(first));
        await().until(active::isEmpty);
        TaskId good = harness.queue().enqueue("good", null);
        loop.report(new Outcome.Completed(claim()));
        await().untilAsserted(() -> assertThat(harness.status(good)).isEqualTo("COMPLETED"));
        assertThat(harness.status(poisoned)).isEqualTo("COMPLETED");
        loop.stop();
        assertThat(QueueThreads.join(List.of(thread), Duration.ofSeconds(10))).isTrue();
    }

    private RunningTask claim() {
        RunningTask run = new RunningTask(harness.claimOne(leases), Duration.ZERO, System.nanoTime());
        active.add(run);
        return run;
    }

    private void takeAway(RunningTask run) {
        takeAway(run.task().id());
    }

    /** Takes the task from its worker and lets it be due at once. */
    private static void takeAway(long id) {
        harness.expireLease(id, Duration.ofSeconds(1));
        assertThat(new QueueFixture(harness.database())
                        .reclaimer()
                        .reclaimOnce()
                        .reclaimed())
                .isEqualTo(1);
        harness.makeDue(id);
    }

    private static String lateOutcome(TaskId id) {
        return harness.jdbc()
                .sql("select late_outcome from konduit_task_incident where task_id = :id")
                .param("id", id.value())
                .query(String.class)
                .optional()
                .orElse("none");
    }
}
