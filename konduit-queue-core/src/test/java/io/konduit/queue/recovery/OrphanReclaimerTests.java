package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.HoldReason;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.SqlFile;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.StoredIncident;
import io.konduit.queue.StoredTask;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.event.ReaperFailed;
import io.konduit.queue.event.TaskHeld;
import io.konduit.queue.event.TaskReclaimed;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.AuditRepository;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OrphanReclaimerTests {
    private static final String RECLAIM = SqlFile.opening("reclaim");
    private static final String FIND = SqlFile.opening("find-expired");

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static StatementProbe probe;
    QueueFixture recovery;
    LeaseRepository worker;

    @BeforeAll
    static void probeStatements() {
        probe = new StatementProbe(harness.testDatabase().dataSource());
    }

    @BeforeEach
    void setUp() {
        probe.reset();
        recovery = new QueueFixture(harness.database());
        worker = recovery.newWorker();
    }

    @Test
    @Tag("L1")
    void claimSetsTheLeaseAndCountsTheAttempt() {
        ClaimedTask task = recovery.running(worker);

        recovery.assertThatTask(task.id())
                .isRunning()
                .isLockedBy(worker.worker())
                .hasEpoch(1)
                .hasAttempts(1);
        assertThat(recovery.count("select (extract(epoch from lock_timeout_at - locked_at) * 1000)::bigint"
                        + " from konduit_task where id = " + task.id()))
                .isEqualTo(300_000);
    }

    @Test
    @Tag("L2")
    void leavesALeaseThatGoesOnAlone() {
        ClaimedTask task = recovery.running(worker);
        StoredTask before = recovery.row(task.id());

        ReclaimResult result = recovery.reclaimer().reclaimOnce();

        assertThat(result).isEqualTo(new ReclaimResult(0, 0, 0, 0, Duration.ZERO));
        recovery.assertThatTask(task.id()).isUnchangedSince(before).hasIncidents(0);
    }

    @Test
    @Tag("L3")
    @Tag("T7")
    void reclaimsTaskWhoseLeaseExpired() {
        ClaimedTask task = recovery.orphan(worker);
        worker.checkpoint(task.lease(), Duration.ofMinutes(5), "{\"page\": 7}");
        recovery.expire(task, Duration.ofSeconds(1));

        ReclaimResult result = recovery.reclaimer().reclaimOnce();

        assertThat(result).isEqualTo(new ReclaimResult(1, 0, 0, 0, Duration.ZERO));
        assertThat(result.total()).isEqualTo(1);
        recovery.assertThatTask(task.id())
                .isPending()
                .hasNoLease()
                .hasAttempts(1)
                .hasEpoch(1)
                .hasZombieCount(1)
                .hasHoldReason(null)
                .hasCheckpoint("{\"page\": 7}");
        assertThat(recovery.row(task.id()).lastCheckpointAt()).isNotNull();
    }

    @Test
    @Tag("L3")
    @Tag("I4")
    void nextClaimCountsTheAttemptAndSeesTheCheckpoint() {
        ClaimedTask task = recovery.orphan(worker);
        worker.checkpoint(task.lease(), Duration.ofMinutes(5), "{\"page\": 7}");
        recovery.expire(task, Duration.ofSeconds(1));
        recovery.reclaimer().reclaimOnce();
        recovery.makeDue(TaskId.of(task.id()));

        ClaimedTask again = recovery.claimOne(recovery.newWorker());

        assertThat(again.id()).isEqualTo(task.id());
        assertThat(again.attempt()).isEqualTo(2);
        assertThat(again.lease().epoch()).isEqualTo(2);
        assertThat(again.lease().zombieCount()).isEqualTo(1);
        assertThat(again.checkpoint()).isEqualTo("{\"page\": 7}");
    }

    @Test
    @Tag("L3")
    void taskThatHadUsedUpItsAttemptsRunsOnceMoreAndItsNextFailureIsFinal() {
        ClaimedTask only =
                recovery.orphan(worker, TaskRequest.of("report", null).maxAttempts(1));
        recovery.reclaimer().reclaimOnce();
        assertThat(recovery.status(only.id())).isEqualTo("PENDING");
        recovery.makeDue(TaskId.of(only.id()));
        ClaimedTask once = recovery.claimOne(worker);
        assertThat(once.attempt()).isEqualTo(2);
        assertThat(once.maxAttempts()).isEqualTo(1);

        Map<?, FailureResult> results =
                worker.fail(List.of(new Failure(once.lease(), false, Duration.ZERO, "it failed")));

        assertThat(results.get(once.lease())).isEqualTo(FailureResult.FINAL);
        assertThat(recovery.status(only.id())).isEqualTo("FAILED");
    }

    @Test
    @Tag("L9")
    void secondPassFindsNothingToDo() {
        ClaimedTask task = recovery.orphan(worker);
        recovery.reclaimer().reclaimOnce();
        StoredTask after = recovery.row(task.id());

        assertThat(recovery.reclaimer().reclaimOnce().total()).isZero();

        recovery.assertThatTask(task.id()).isUnchangedSince(after).hasIncidents(1);
    }

    @Test
    @Tag("L11")
    void reclaimsInBatchesThatAreEachATransactionOldestFirst() {
        QueueFixture probed = new QueueFixture(QueueFixture.databaseOn(probe));
        probed.insertRunning(1_200, worker.worker(), 60_000);
        List<Long> seenByOthers = new ArrayList<>();
        for (int batch = 0; batch < 3; batch++) {
            probe.onceAfter(
                    RECLAIM,
                    () -> seenByOthers.add(
                            recovery.count("select count(*) from konduit_task where status = 'PENDING'")));
        }

        ReclaimResult result =
                probed.reclaimer(QueueFixture.policy(Duration.ZERO, 500)).reclaimOnce();

        assertThat(result.reclaimed()).isEqualTo(1_200);
        assertThat(probe.count(RECLAIM)).isEqualTo(3);
        assertThat(probe.count(FIND)).isEqualTo(1);
        // another connection sees each batch as soon as its statement is done: no transaction spans two of them
        assertThat(seenByOthers).containsExactly(500L, 1_000L, 1_200L);
        assertThat(recovery.count("select count(distinct xmin::text) from konduit_task_incident"))
                .isEqualTo(3);
        assertThat(recovery.count("select count(*) from (select lease_ended_at, lag(lease_ended_at) over"
                        + " (order by xmin::text::bigint, lease_ended_at) as before from konduit_task_incident) i"
                        + " where before > lease_ended_at"))
                .as("incidents of a later batch whose lease ended before one of an earlier batch")
                .isZero();
    }

    @Test
    @Tag("L11")
    void whatWasDoneBeforeAFailureStaysDoneAndTheNextPassGoesOn() {
        QueueFixture probed = new QueueFixture(QueueFixture.databaseOn(probe));
        probed.insertRunning(30, worker.worker(), 60_000);
        OrphanReclaimer reclaimer = probed.reclaimer(QueueFixture.policy(Duration.ZERO, 10));
        probe.onceAfter(RECLAIM, () -> {
            probe.onceBefore(RECLAIM, () -> {
                throw new SQLException("The connection is gone.", "08006");
            });
            return null;
        });
        try (CapturedLog log = CapturedLog.ofPackageOf(OrphanReclaimer.class)) {
            assertThatThrownBy(reclaimer::reclaimOnce).hasRootCauseMessage("The connection is gone.");
            assertThat(log.at(Level.INFO))
                    .containsExactly(
                            "Reclaimed 10 orphaned tasks; 0 held because they are not reapable, 0 quarantined");
        }
        assertThat(probed.events().stream().filter(TaskReclaimed.class::isInstance))
                .hasSize(10);
        assertThat(probed.events())
                .contains(new ReaperFailed("org.springframework.dao.DataAccessResourceFailureException"));
        assertThat(recovery.count("select count(*) from konduit_task where status = 'PENDING'"))
                .isEqualTo(10);

        assertThat(reclaimer.reclaimOnce().reclaimed()).isEqualTo(20);
    }

    @Test
    @Tag("L11")
    void pageOfLockedRowsDoesNotHideLaterOnes() throws SQLException {
        recovery.insertRunning(10_020, worker.worker(), 60_000);
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            // more than the reaper reads at once
            statement.execute(
                    "select 1 from konduit_task where status = 'RUNNING' order by lock_timeout_at limit 10010 for update");

            ReclaimResult result = recovery.reclaimer().reclaimOnce();

            assertThat(result.reclaimed()).isEqualTo(10);
            assertThat(result.busy()).isEqualTo(10_010);
            other.rollback();
        }
        assertThat(recovery.reclaimer().reclaimOnce().reclaimed()).isEqualTo(10_010);
        assertThat(recovery.count("select count(*) from konduit_task_incident")).isEqualTo(10_020);
    }

    @Test
    @Tag("L12")
    void logsOneLineWithTheCountAndEachTaskAtDebug() {
        List<ClaimedTask> orphans = List.of(recovery.orphan(worker), recovery.orphan(worker), recovery.orphan(worker));
        try (CapturedLog log = CapturedLog.ofPackageOf(OrphanReclaimer.class)) {
            recovery.reclaimer().reclaimOnce();

            assertThat(log.at(Level.INFO))
                    .containsExactly("Reclaimed 3 orphaned tasks; 0 held because they are not reapable, 0 quarantined");
            assertThat(log.at(Level.WARN)).isEmpty();
            assertThat(log.at(Level.DEBUG)).hasSize(3);
            for (ClaimedTask orphan : orphans) {
                assertThat(log.at(Level.DEBUG)).anySatisfy(line -> assertThat(line)
                        .contains("task " + orphan.id() + " ", worker.worker().toString()));
            }
        }
    }

    @Test
    @Tag("L12")
    void saysNothingWhenNothingWasReclaimed() {
        recovery.running(worker);
        try (CapturedLog log = CapturedLog.ofPackageOf(OrphanReclaimer.class)) {
            recovery.reclaimer().reclaimOnce();

            assertThat(log.all()).isEmpty();
        }
        assertThat(recovery.events()).isEmpty();
        assertThat(recovery.wakeUps()).isEmpty();
    }

    @Test
    @Tag("L13")
    @Tag("T8")
    void holdsTaskThatIsNotReapableAndRaisesTheAlert() {
        ClaimedTask task =
                recovery.orphan(worker, TaskRequest.of("payment", null).reapable(false));
        try (CapturedLog log = CapturedLog.ofPackageOf(OrphanReclaimer.class)) {
            ReclaimResult result = recovery.reclaimer().reclaimOnce();

            assertThat(result).isEqualTo(new ReclaimResult(0, 1, 0, 0, Duration.ZERO));
            assertThat(log.at(Level.WARN))
                    .containsExactly("Task " + task.id() + " (payment) is HELD (NOT_REAPABLE): worker "
                            + worker.worker()
                            + " was lost while it ran it. It does not run again until a person releases or fails it.");
        }
        recovery.assertThatTask(task.id())
                .isHeldBecause(HoldReason.NOT_REAPABLE)
                .hasZombieCount(1)
                .hasNoLease();
        assertThat(recovery.events())
                .containsExactly(new TaskHeld(
                        TaskId.of(task.id()), "payment", "default", HoldReason.NOT_REAPABLE, worker.worker(), 1, 1));
        assertThat(recovery.monitored()).extracting(Reclaimed::holdReason).containsExactly(HoldReason.NOT_REAPABLE);
        assertThat(recovery.wakeUps()).isEmpty();
    }

    @Test
    @Tag("L13")
    @Tag("I5")
    void heldTaskIsNeitherClaimedNorReclaimed() {
        ClaimedTask task =
                recovery.orphan(worker, TaskRequest.of("payment", null).reapable(false));
        recovery.reclaimer().reclaimOnce();
        StoredTask held = recovery.row(task.id());

        assertThat(harness.claim(recovery.newWorker(), 10)).isEmpty();
        assertThat(recovery.reclaimer().reclaimOnce().total()).isZero();

        recovery.assertThatTask(task.id()).isUnchangedSince(held);
    }

    @Test
    @Tag("L17")
    @Tag("I6")
    void quarantinesTaskThatHasLostAsManyWorkersAsAllowed() {
        TaskId id = recovery.queue().enqueue("crasher", null);
        for (int crash = 1; crash <= 4; crash++) {
            recovery.crashOnce(id);
            recovery.assertThatTask(id).isPending().hasZombieCount(crash);
        }

        recovery.crashOnce(id);

        recovery.assertThatTask(id).isHeldBecause(HoldReason.QUARANTINED).hasZombieCount(5);
        assertThat(recovery.incidents(id))
                .extracting(incident -> incident.classification() + " " + incident.action())
                .containsExactly(
                        "ZOMBIE RECLAIMED",
                        "ZOMBIE RECLAIMED",
                        "ZOMBIE RECLAIMED",
                        "ZOMBIE RECLAIMED",
                        "QUARANTINED HELD");
        assertThat(recovery.events())
                .filteredOn(TaskHeld.class::isInstance)
                .extracting(event -> ((TaskHeld) event).reason())
                .containsExactly(HoldReason.QUARANTINED);
        recovery.makeDue(id);
        assertThat(harness.claim(recovery.newWorker(), 10)).isEmpty();
    }

    @Test
    @Tag("L17")
    void quarantineAfterOneHoldsAtTheFirstCrash() {
        ClaimedTask task = recovery.orphan(worker);
        ReclaimPolicy strict =
                new ReclaimPolicy(Duration.ZERO, 500, 1, 1, Duration.ofSeconds(5), Duration.ofMinutes(5));

        assertThat(recovery.reclaimer(strict).reclaimOnce().quarantined()).isEqualTo(1);

        recovery.assertThatTask(task.id()).hasHoldReason("QUARANTINED");
    }

    @Test
    void tellsListenersMetricsAndWorkersOfEachReclaimedTask() {
        ClaimedTask task = recovery.orphan(worker);

        recovery.reclaimer().reclaimOnce();

        assertThat(recovery.events())
                .containsExactly(
                        new TaskReclaimed(TaskId.of(task.id()), "report", "default", worker.worker(), 1, 1, false));
        assertThat(recovery.monitored()).extracting(Reclaimed::taskId).containsExactly(task.id());
        assertThat(recovery.wakeUps()).containsExactly(Set.of("default"));
    }

    @Test
    void tellsOfATaskOnlyWhenOthersCanSeeItsNewState() {
        ClaimedTask task = recovery.orphan(worker);
        List<String> seen = new ArrayList<>();
        QueueEvents events = new QueueEvents(event -> seen.add(recovery.status(task.id())));

        recovery.reclaimer(ReclaimPolicy.defaults(), recovery.reclaimEvents(events))
                .reclaimOnce();

        assertThat(seen).containsExactly("PENDING");
    }

    @Test
    void listenerThatThrowsDoesNotBreakThePass() {
        for (Throwable thrown :
                List.of(new IllegalStateException("listener"), new AssertionError("listener"), new Exception("x"))) {
            recovery.insertRunning(15, worker.worker(), 60_000);
            QueueEvents events = new QueueEvents(event -> sneak(thrown));

            ReclaimResult result = recovery.reclaimer(
                            QueueFixture.policy(Duration.ZERO, 10), recovery.reclaimEvents(events))
                    .reclaimOnce();

            assertThat(result.reclaimed()).isEqualTo(15);
        }
    }

    @Test
    void wakeUpThatThrowsDoesNotBreakThePass() {
        recovery.insertRunning(15, worker.worker(), 60_000);
        ReclaimEvents events = new ReclaimEvents(
                QueueFixture.REAPER,
                recovery.queueEvents(),
                ReclaimMonitor.NONE,
                queues -> sneak(new IllegalStateException("wake-up")));

        ReclaimResult result = recovery.reclaimer(QueueFixture.policy(Duration.ZERO, 10), events)
                .reclaimOnce();

        assertThat(result.reclaimed()).isEqualTo(15);
        assertThat(recovery.events()).hasSize(15);
    }

    @Test
    void passThatFailsIsAnEventAndIsNotCountedAsDone() {
        QueueFixture probed = new QueueFixture(QueueFixture.databaseOn(probe));
        List<String> passes = new ArrayList<>();
        ReclaimMonitor monitor = new ReclaimMonitor() {
            @Override
            public void passSucceeded() {
                passes.add("succeeded");
            }

            @Override
            public void passFailed() {
                passes.add("failed");
            }
        };
        OrphanReclaimer reclaimer = probed.reclaimer(
                ReclaimPolicy.defaults(),
                new ReclaimEvents(QueueFixture.REAPER, probed.queueEvents(), monitor, queues -> {}));
        probe.onceBefore(FIND, () -> {
            throw new SQLException("The connection is gone.", "08006");
        });

        assertThatThrownBy(reclaimer::reclaimOnce).hasRootCauseMessage("The connection is gone.");
        reclaimer.reclaimOnce();

        assertThat(probed.events())
                .containsExactly(new ReaperFailed("org.springframework.dao.DataAccessResourceFailureException"));
        assertThat(passes).containsExactly("failed", "succeeded");
    }

    @Test
    void leaseThatWasExtendedAfterItWasFoundStays() {
        QueueFixture probed = new QueueFixture(QueueFixture.databaseOn(probe));
        ClaimedTask task = recovery.orphan(worker);
        probe.onceBefore(RECLAIM, () -> worker.extend(Map.of(task.lease(), Duration.ofMinutes(5))));

        ReclaimResult result = probed.reclaimer().reclaimOnce();

        assertThat(result).isEqualTo(new ReclaimResult(0, 0, 0, 1, Duration.ZERO));
        recovery.assertThatTask(task.id()).isRunning().isLockedBy(worker.worker());
    }

    @Test
    void taskThatWasTakenAndClaimedAnewAfterItWasFoundStaysWithItsNewOwner() {
        QueueFixture probed = new QueueFixture(QueueFixture.databaseOn(probe));
        ClaimedTask task = recovery.orphan(worker);
        LeaseRepository newOwner = recovery.newWorker();
        probe.onceBefore(RECLAIM, () -> {
            recovery.reclaimer().reclaimOnce();
            recovery.makeDue(TaskId.of(task.id()));
            return recovery.claimOne(newOwner);
        });

        assertThat(probed.reclaimer().reclaimOnce().total()).isZero();

        recovery.assertThatTask(task.id())
                .isRunning()
                .isLockedBy(newOwner.worker())
                .hasZombieCount(1)
                .hasIncidents(1);
    }

    @Test
    void taskThatWasTakenAfterItWasFoundIsNotTakenTwice() {
        QueueFixture probed = new QueueFixture(QueueFixture.databaseOn(probe));
        ClaimedTask task = recovery.orphan(worker);
        probe.onceBefore(RECLAIM, () -> recovery.reclaimer().reclaimOnce());

        assertThat(probed.reclaimer().reclaimOnce().total()).isZero();

        recovery.assertThatTask(task.id()).isPending().hasZombieCount(1).hasIncidents(1);
    }

    @Test
    void reclaimInSomebodysNameIsRecordedWithThatName() {
        ClaimedTask task = recovery.orphan(worker);

        recovery.reclaimer().reclaimOnce(new AuditRepository.Author("ada", null));

        assertThat(recovery.incidents(task.id()))
                .extracting(StoredIncident::actor)
                .containsExactly("ada");
    }

    @Test
    @Tag("L9")
    void taskOfAWorkerThatNobodyKnowsIsReclaimedLikeAnyOther() {
        recovery.insertRunning(1, UUID.randomUUID(), 60_000);

        assertThat(recovery.reclaimer().reclaimOnce().reclaimed()).isEqualTo(1);
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }
}
