package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TwoSessions;
import io.konduit.queue.TwoSessions.End;
import io.konduit.queue.TwoSessions.Waiting;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.admin.TaskStateException;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ExtensionResult;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.Written;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Races between two sessions, each in both orders: the one that goes first has not committed when the other acts. */
class LeaseRaceTests {
    private static final Duration LEASE = Duration.ofMinutes(5);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static TwoSessions sessions;
    /** Neither of the two: sets up and looks. */
    QueueFixture recovery;

    QueueFixture first;
    QueueFixture second;
    UUID worker;

    @BeforeAll
    static void openSessions() {
        sessions = new TwoSessions(harness);
    }

    @BeforeEach
    void setUp() {
        recovery = new QueueFixture(harness.database());
        first = new QueueFixture(sessions.first());
        second = new QueueFixture(sessions.second());
        worker = UUID.randomUUID();
    }

    private LeaseRepository leases(QueueFixture session) {
        return new LeaseRepository(session.database(), worker);
    }

    private ClaimedTask orphan() {
        return recovery.orphan(leases(recovery));
    }

    private ReclaimResult reclaimInSecond() {
        return second.reclaimer().reclaimOnce();
    }

    private void reclaimInFirst() {
        assertThat(first.reclaimer().reclaimOnce().total()).isEqualTo(1);
    }

    private void assertStillOurs(ClaimedTask task) {
        recovery.assertThatTask(task.id())
                .isRunning()
                .isLockedBy(worker)
                .hasZombieCount(0)
                .hasIncidents(0);
    }

    private void assertReclaimedOnce(ClaimedTask task) {
        recovery.assertThatTask(task.id()).isPending().hasZombieCount(1).hasIncidents(1);
    }

    // ---- completion against reclaim ----

    @Test
    void completionBeforeReclaimStands() {
        ClaimedTask task = orphan();

        ReclaimResult reclaim = sessions.whileOpen(
                () -> assertThat(leases(first).complete(Set.of(task.lease()))).hasSize(1), this::reclaimInSecond);

        assertThat(reclaim).isEqualTo(new ReclaimResult(0, 0, 0, 1, Duration.ZERO));
        assertThat(recovery.status(task.id())).isEqualTo("COMPLETED");
        recovery.assertThatTask(task.id()).hasIncidents(0);
        assertThat(reclaimInSecond().total()).isZero();
    }

    @Test
    void reclaimTakesTheTaskWhenTheCompletionBeforeItIsRolledBack() {
        ClaimedTask task = orphan();

        ReclaimResult reclaim = sessions.whileOpen(
                End.ROLLBACK, () -> leases(first).complete(Set.of(task.lease())), this::reclaimInSecond);

        assertThat(reclaim.total()).isZero();
        assertThat(reclaimInSecond().reclaimed()).isEqualTo(1);
        assertReclaimedOnce(task);
    }

    @Test
    @Tag("F1")
    @Tag("I7")
    void completionAfterReclaimIsRefused() {
        ClaimedTask task = orphan();

        Waiting<Set<Lease>> completion = sessions.whileOpen(
                this::reclaimInFirst, () -> sessions.waits(() -> leases(second).complete(Set.of(task.lease()))));

        assertThat(completion.result()).isEmpty();
        assertReclaimedOnce(task);
    }

    @Test
    void completionStandsWhenTheReclaimBeforeItIsRolledBack() {
        ClaimedTask task = orphan();

        Waiting<Set<Lease>> completion = sessions.whileOpen(
                End.ROLLBACK,
                this::reclaimInFirst,
                () -> sessions.waits(() -> leases(second).complete(Set.of(task.lease()))));

        assertThat(completion.result()).containsExactly(task.lease());
        assertThat(recovery.status(task.id())).isEqualTo("COMPLETED");
        recovery.assertThatTask(task.id()).hasIncidents(0);
    }

    @Test
    @Tag("F1")
    void completionThatDoesNotWaitIsBusyDuringAReclaimAndThenRefused() {
        ClaimedTask task = orphan();
        ClaimedTask other = recovery.running(leases(recovery));
        Set<Lease> both = Set.of(task.lease(), other.lease());

        Written meanwhile =
                sessions.whileOpen(this::reclaimInFirst, () -> leases(second).completeSoon(both));

        assertThat(meanwhile).isEqualTo(new Written(Set.of(other.lease()), Set.of(task.lease())));
        assertThat(leases(second).completeUnlocked(Set.of(task.lease()))).isEqualTo(new Written(Set.of(), Set.of()));
        assertReclaimedOnce(task);
        assertThat(recovery.status(other.id())).isEqualTo("COMPLETED");
    }

    @Test
    void completionThatDoesNotWaitStandsWhenTheReclaimBeforeItIsRolledBack() {
        ClaimedTask task = orphan();

        Written meanwhile = sessions.whileOpen(
                End.ROLLBACK, this::reclaimInFirst, () -> leases(second).completeUnlocked(Set.of(task.lease())));

        assertThat(meanwhile).isEqualTo(new Written(Set.of(), Set.of(task.lease())));
        assertThat(leases(second).completeUnlocked(Set.of(task.lease())))
                .isEqualTo(new Written(Set.of(task.lease()), Set.of()));
        assertThat(recovery.status(task.id())).isEqualTo("COMPLETED");
    }

    // ---- failure against reclaim ----

    @Test
    void failureBeforeReclaimStands() {
        ClaimedTask task = orphan();
        List<Failure> failures = List.of(new Failure(task.lease(), true, Duration.ZERO, "it failed"));

        ReclaimResult reclaim = sessions.whileOpen(() -> leases(first).fail(failures), this::reclaimInSecond);

        assertThat(reclaim.total()).isZero();
        assertThat(recovery.status(task.id())).isEqualTo("FAILED");
        recovery.assertThatTask(task.id()).hasIncidents(0);
    }

    @Test
    @Tag("F1")
    void failureAfterReclaimIsRefused() {
        ClaimedTask task = orphan();
        List<Failure> failures = List.of(new Failure(task.lease(), true, Duration.ZERO, "it failed"));

        Map<Lease, FailureResult> meanwhile =
                sessions.whileOpen(this::reclaimInFirst, () -> leases(second).fail(failures));

        assertThat(meanwhile).as("it does not wait").containsEntry(task.lease(), FailureResult.BUSY);
        assertThat(leases(second).fail(failures)).containsEntry(task.lease(), FailureResult.LOST);
        assertReclaimedOnce(task);
        recovery.assertThatTask(task.id()).hasNoLastError();
    }

    // ---- giving back against reclaim ----

    @Test
    void givingBackBeforeReclaimStands() {
        ClaimedTask task = orphan();

        ReclaimResult reclaim = sessions.whileOpen(
                () -> leases(first).giveBack(Set.of(task.lease()), Duration.ZERO), this::reclaimInSecond);

        assertThat(reclaim.total()).isZero();
        recovery.assertThatTask(task.id()).isPending().hasZombieCount(0).hasMaxAttempts(4);
    }

    @Test
    @Tag("F1")
    void givingBackAfterReclaimIsRefused() {
        ClaimedTask task = orphan();

        Written meanwhile = sessions.whileOpen(
                this::reclaimInFirst, () -> leases(second).giveBackUnlocked(Set.of(task.lease()), Duration.ZERO));

        assertThat(meanwhile).as("it does not wait").isEqualTo(new Written(Set.of(), Set.of(task.lease())));
        assertThat(leases(second).giveBackUnlocked(Set.of(task.lease()), Duration.ZERO))
                .isEqualTo(new Written(Set.of(), Set.of()));
        assertReclaimedOnce(task);
        recovery.assertThatTask(task.id()).hasMaxAttempts(3);
    }

    // ---- extension against reclaim ----

    @Test
    void extensionBeforeReclaimKeepsTheTask() {
        ClaimedTask task = orphan();

        ReclaimResult reclaim = sessions.whileOpen(
                () -> assertThat(leases(first).extend(Map.of(task.lease(), LEASE)))
                        .containsValue(ExtensionResult.EXTENDED),
                this::reclaimInSecond);

        assertThat(reclaim).isEqualTo(new ReclaimResult(0, 0, 0, 1, Duration.ZERO));
        assertThat(reclaimInSecond().total()).isZero();
        assertStillOurs(task);
    }

    @Test
    void extensionAfterReclaimIsBusyAndThenLost() {
        ClaimedTask task = orphan();

        Map<Lease, ExtensionResult> meanwhile =
                sessions.whileOpen(this::reclaimInFirst, () -> leases(second).extend(Map.of(task.lease(), LEASE)));

        assertThat(meanwhile).containsEntry(task.lease(), ExtensionResult.BUSY);
        assertThat(leases(second).extend(Map.of(task.lease(), LEASE)))
                .containsEntry(task.lease(), ExtensionResult.LOST);
        assertReclaimedOnce(task);
    }

    @Test
    void extensionNeverLooksLostWhenTheReclaimBeforeItIsRolledBack() {
        ClaimedTask task = orphan();

        Map<Lease, ExtensionResult> meanwhile = sessions.whileOpen(
                End.ROLLBACK, this::reclaimInFirst, () -> leases(second).extend(Map.of(task.lease(), LEASE)));

        assertThat(meanwhile).containsEntry(task.lease(), ExtensionResult.BUSY);
        assertThat(leases(second).extend(Map.of(task.lease(), LEASE)))
                .containsEntry(task.lease(), ExtensionResult.EXTENDED);
        assertStillOurs(task);
    }

    // ---- two reclaimers ----

    @Test
    @Tag("L9")
    void secondReclaimerSkipsWhatTheFirstHasTaken() {
        ClaimedTask task = orphan();

        ReclaimResult other = sessions.whileOpen(this::reclaimInFirst, this::reclaimInSecond);

        assertThat(other).isEqualTo(new ReclaimResult(0, 0, 0, 1, Duration.ZERO));
        assertThat(reclaimInSecond().total()).isZero();
        assertReclaimedOnce(task);
    }

    @Test
    @Tag("L9")
    void secondReclaimerTakesWhatTheFirstHadToLeave() {
        ClaimedTask task = orphan();

        ReclaimResult other = sessions.whileOpen(End.ROLLBACK, this::reclaimInFirst, this::reclaimInSecond);

        assertThat(other.total()).isZero();
        assertThat(reclaimInSecond().reclaimed()).isEqualTo(1);
        assertReclaimedOnce(task);
    }

    @Test
    @Tag("L9")
    void fourReclaimersTakeEachOf2000OrphansExactlyOnce() {
        recovery.insertRunning(2_000, worker, 60_000);
        CountDownLatch start = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<CompletableFuture<Integer>> passes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                OrphanReclaimer reclaimer =
                        (i % 2 == 0 ? first : second).reclaimer(QueueFixture.policy(Duration.ZERO, 50));
                passes.add(CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                start.await();
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                            return QueueFixture.reclaimAll(reclaimer);
                        },
                        threads));
            }
            start.countDown();

            assertThat(passes.stream().mapToInt(CompletableFuture::join).sum()).isEqualTo(2_000);
        } finally {
            threads.shutdownNow();
        }
        assertThat(recovery.count("select count(*) from konduit_task where status = 'PENDING' and zombie_count = 1"))
                .isEqualTo(2_000);
        assertThat(recovery.count("select count(*) from konduit_task_incident")).isEqualTo(2_000);
        assertThat(recovery.count("select count(distinct task_id) from konduit_task_incident"))
                .isEqualTo(2_000);
    }

    // ---- claim against reclaim ----

    @Test
    void claimFindsTheTaskOnlyOnceTheReclaimIsCommitted() {
        ClaimedTask task = orphan();
        LeaseRepository newOwner = second.newWorker();

        List<ClaimedTask> meanwhile = sessions.whileOpen(this::reclaimInFirst, () -> harness.claim(newOwner, 10));

        assertThat(meanwhile).isEmpty();
        recovery.makeDue(TaskId.of(task.id()));
        assertThat(harness.claim(newOwner, 10)).singleElement().satisfies(claimed -> assertThat(claimed.lease())
                .isEqualTo(new Lease(task.id(), 2, 1)));
    }

    @Test
    void reclaimLeavesATaskAloneThatIsBeingClaimed() {
        ClaimedTask task = orphan();
        recovery.reclaimer().reclaimOnce();
        recovery.makeDue(TaskId.of(task.id()));
        LeaseRepository newOwner = first.newWorker();

        ReclaimResult reclaim =
                sessions.whileOpen(() -> assertThat(harness.claim(newOwner, 10)).hasSize(1), this::reclaimInSecond);

        assertThat(reclaim).isEqualTo(new ReclaimResult(0, 0, 0, 0, Duration.ZERO));
        assertThat(reclaimInSecond().total()).isZero();
        recovery.assertThatTask(task.id())
                .isRunning()
                .isLockedBy(newOwner.worker())
                .hasZombieCount(1);
    }

    @Test
    @Tag("I2")
    void twoClaimsNeverGetTheSameTask() {
        TaskId id = recovery.queue().enqueue("report", null);
        LeaseRepository one = first.newWorker();
        LeaseRepository other = second.newWorker();

        List<ClaimedTask> meanwhile =
                sessions.whileOpen(() -> assertThat(harness.claim(one, 10)).hasSize(1), () -> harness.claim(other, 10));

        assertThat(meanwhile).isEmpty();
        recovery.assertThatTask(id).isLockedBy(one.worker());
    }

    // ---- cancel against completion ----

    @Test
    void completionBeforeCancelStands() {
        ClaimedTask task = recovery.running(leases(recovery));

        Waiting<Boolean> cancel = sessions.whileOpen(
                () -> leases(first).complete(Set.of(task.lease())),
                () -> sessions.waits(() -> second.queue().cancel(TaskId.of(task.id()))));

        assertThat(cancel.result()).isFalse();
        assertThat(recovery.status(task.id())).isEqualTo("COMPLETED");
        recovery.assertThatTask(task.id()).hasIncidents(0);
    }

    @Test
    @Tag("F1")
    void completionAfterCancelIsRefused() {
        ClaimedTask task = recovery.running(leases(recovery));

        Waiting<Set<Lease>> completion = sessions.whileApplicationIsOpen(
                End.COMMIT,
                () -> first.queue().cancel(TaskId.of(task.id())),
                () -> sessions.waits(() -> leases(second).complete(Set.of(task.lease()))));

        assertThat(completion.result()).isEmpty();
        assertThat(recovery.status(task.id())).isEqualTo("CANCELLED");
        recovery.assertThatTask(task.id()).hasIncidents(1);
    }

    @Test
    void completionStandsWhenTheCancelBeforeItIsRolledBack() {
        ClaimedTask task = recovery.running(leases(recovery));

        Waiting<Set<Lease>> completion = sessions.whileApplicationIsOpen(
                End.ROLLBACK,
                () -> first.queue().cancel(TaskId.of(task.id())),
                () -> sessions.waits(() -> leases(second).complete(Set.of(task.lease()))));

        assertThat(completion.result()).containsExactly(task.lease());
        assertThat(recovery.status(task.id())).isEqualTo("COMPLETED");
    }

    // ---- cancel against reclaim ----

    @Test
    @Tag("L19")
    void cancelAfterReclaimIsTheOutcomeOfItsIncident() {
        ClaimedTask task = orphan();

        Waiting<Boolean> cancel = sessions.whileOpen(
                this::reclaimInFirst, () -> sessions.waits(() -> second.queue().cancel(TaskId.of(task.id()))));

        assertThat(cancel.result()).isTrue();
        assertThat(recovery.status(task.id())).isEqualTo("CANCELLED");
        assertThat(recovery.incidents(task.id()))
                .as("also the incident that was not there yet when the cancellation began")
                .extracting(incident -> incident.action() + " -> " + incident.outcome())
                .containsExactly("RECLAIMED -> CANCELLED", "CANCELLED -> CANCELLED");
    }

    @Test
    void reclaimLeavesATaskAloneThatIsBeingCancelled() {
        ClaimedTask task = orphan();

        ReclaimResult reclaim = sessions.whileApplicationIsOpen(
                End.COMMIT, () -> first.queue().cancel(TaskId.of(task.id())), this::reclaimInSecond);

        assertThat(reclaim).isEqualTo(new ReclaimResult(0, 0, 0, 1, Duration.ZERO));
        assertThat(recovery.status(task.id())).isEqualTo("CANCELLED");
        recovery.assertThatTask(task.id()).hasIncidents(1);
    }

    // ---- guard against reclaim ----

    @Test
    @Tag("F3")
    void reclaimSkipsATaskWhoseTransactionIsGuarded() {
        ClaimedTask task = orphan();

        ReclaimResult reclaim = sessions.whileApplicationIsOpen(
                End.COMMIT,
                () -> assertThat(leases(first).guardInTransaction(task.lease())).isTrue(),
                this::reclaimInSecond);

        assertThat(reclaim).isEqualTo(new ReclaimResult(0, 0, 0, 1, Duration.ZERO));
        assertStillOurs(task);
        // the guarded transaction is over: now the reaper may
        assertThat(reclaimInSecond().reclaimed()).isEqualTo(1);
    }

    @Test
    @Tag("F3")
    void guardAfterReclaimFindsTheLeaseLost() {
        ClaimedTask task = orphan();

        Waiting<Boolean> guard = sessions.whileOpen(
                this::reclaimInFirst, () -> sessions.waits(() -> leases(second).guardInTransaction(task.lease())));

        assertThat(guard.result()).isFalse();
        assertReclaimedOnce(task);
    }

    @Test
    @Tag("F3")
    void guardMakesAnExtensionBusyAndNotLost() {
        ClaimedTask task = recovery.running(leases(recovery));

        Map<Lease, ExtensionResult> extension = sessions.whileApplicationIsOpen(
                End.COMMIT, () -> leases(first).guardInTransaction(task.lease()), () -> leases(second)
                        .extend(Map.of(task.lease(), LEASE)));

        assertThat(extension).containsEntry(task.lease(), ExtensionResult.BUSY);
    }

    // ---- checkpoint against reclaim ----

    @Test
    @Tag("C1")
    void checkpointBeforeReclaimKeepsTheTask() {
        ClaimedTask task = orphan();

        ReclaimResult reclaim = sessions.whileApplicationIsOpen(
                End.COMMIT,
                () -> assertThat(leases(first).checkpoint(task.lease(), LEASE, "{\"page\": 7}"))
                        .isTrue(),
                this::reclaimInSecond);

        assertThat(reclaim).isEqualTo(new ReclaimResult(0, 0, 0, 1, Duration.ZERO));
        assertThat(reclaimInSecond().total()).as("it left a fresh lease behind").isZero();
        assertStillOurs(task);
        recovery.assertThatTask(task.id()).hasCheckpoint("{\"page\": 7}");
    }

    @Test
    @Tag("C1")
    void reclaimTakesTheTaskWhenTheCheckpointBeforeItIsRolledBack() {
        ClaimedTask task = orphan();

        ReclaimResult reclaim = sessions.whileApplicationIsOpen(
                End.ROLLBACK,
                () -> leases(first).checkpoint(task.lease(), LEASE, "{\"page\": 7}"),
                this::reclaimInSecond);

        assertThat(reclaim.total()).isZero();
        assertThat(reclaimInSecond().reclaimed()).isEqualTo(1);
        assertReclaimedOnce(task);
        recovery.assertThatTask(task.id()).hasNoCheckpoint();
    }

    @Test
    @Tag("C1")
    void checkpointAfterReclaimIsRefused() {
        ClaimedTask task = orphan();

        Waiting<Boolean> checkpoint = sessions.whileOpen(
                this::reclaimInFirst,
                () -> sessions.waits(() -> leases(second).checkpoint(task.lease(), LEASE, "{\"page\": 7}")));

        assertThat(checkpoint.result()).isFalse();
        assertReclaimedOnce(task);
        recovery.assertThatTask(task.id()).hasNeverCheckpointed();
    }

    // ---- two people ----

    private TaskId held() {
        ClaimedTask task = recovery.orphan(
                leases(recovery), TaskRequest.of("payment", null).reapable(false));
        recovery.reclaimer().reclaimOnce();
        return TaskId.of(task.id());
    }

    @Test
    void failByHandAfterReleaseIsRefused() {
        TaskId id = held();

        Waiting<Object> failing = sessions.whileApplicationIsOpen(
                End.COMMIT,
                () -> first.administration().release(id, "ada", null),
                () -> sessions.waits(() -> {
                    assertThatThrownBy(() -> second.administration().fail(id, "grace", null))
                            .isInstanceOf(TaskStateException.class)
                            .hasMessage("Task " + id + " cannot be failed: expected it to be HELD, but it is PENDING.");
                    return "refused";
                }));

        assertThat(failing.result()).isEqualTo("refused");
        assertThat(recovery.status(id.value())).isEqualTo("PENDING");
        recovery.assertThatTask(id).hasIncidents(2);
    }

    @Test
    void releaseAfterFailByHandIsRefused() {
        TaskId id = held();

        Waiting<Object> release = sessions.whileApplicationIsOpen(
                End.COMMIT,
                () -> first.administration().fail(id, "grace", null),
                () -> sessions.waits(() -> {
                    assertThatThrownBy(() -> second.administration().release(id, "ada", null))
                            .isInstanceOf(TaskStateException.class);
                    return "refused";
                }));

        assertThat(release.result()).isEqualTo("refused");
        assertThat(recovery.status(id.value())).isEqualTo("FAILED");
        recovery.assertThatTask(id).hasIncidents(2);
    }

    // ---- many at once ----

    /**
     * The one that wants the tasks in descending order comes second in the queue for the first of them. If it had
     * locked another one before, both would wait for each other.
     */
    @Test
    void completionsInOppositeOrderDoNotDeadlock() throws Exception {
        recovery.insertRunning(2_000, worker, -60_000);
        harness.testDatabase().execute("analyze konduit_task");
        List<Long> ids = recovery.jdbc()
                .sql("select id from konduit_task order by id limit 2")
                .query(Long.class)
                .list();
        Collection<Lease> ascending = List.of(new Lease(ids.get(0), 1, 0), new Lease(ids.get(1), 1, 0));
        Collection<Lease> descending = List.of(new Lease(ids.get(1), 1, 0), new Lease(ids.get(0), 1, 0));
        Waiting<Set<Lease>> one;
        Waiting<Set<Lease>> other;
        try (Connection blocker = harness.testDatabase().connect();
                Statement statement = blocker.createStatement()) {
            blocker.setAutoCommit(false);
            statement.execute("select 1 from konduit_task where id = " + ids.get(0) + " for update");
            one = sessions.waits(() -> leases(first).complete(ascending));
            other = sessions.waits(() -> leases(second).complete(descending));
            blocker.rollback();
        }

        assertThat(one.result()).hasSize(2);
        assertThat(other.result())
                .as("it finds that they are completed already")
                .hasSize(2);
        assertThat(recovery.count("select deadlocks from pg_stat_database where datname = current_database()"))
                .isZero();
    }

    /** The statement finds the epoch of a row by the position of its id, which only a sorted array has. */
    @Test
    @Tag("L5")
    void completionsInAnyOrderKeepTheirEpochs() {
        recovery.insertRunning(7, worker, -60_000);
        recovery.bulk("update konduit_task set lease_epoch = ? + id % 3", statement -> statement.setLong(1, 1));
        List<Lease> leases = recovery.jdbc()
                .sql("select id, lease_epoch from konduit_task order by id desc")
                .query((row, number) -> new Lease(row.getLong("id"), row.getLong("lease_epoch"), 0))
                .list();

        assertThat(leases(first).complete(leases)).containsExactlyInAnyOrderElementsOf(leases);
        assertThat(recovery.count("select count(*) from konduit_task_history where status = 'COMPLETED'"))
                .isEqualTo(7);
    }
}
