package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.HoldReason;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.ReaperFailed;
import io.konduit.queue.RecoveryFixture;
import io.konduit.queue.SqlFile;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.TaskHeld;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskReclaimed;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.store.AuditRepository;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.InspectionRepository;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import io.konduit.queue.store.StatisticsRepository;
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
    RecoveryFixture recovery;
    LeaseRepository worker;

    @BeforeAll
    static void probeStatements() {
        probe = new StatementProbe(harness.testDatabase().dataSource());
    }

    @BeforeEach
    void setUp() {
        probe.reset();
        recovery = new RecoveryFixture(harness.database());
        worker = recovery.newWorker();
    }

    @Test
    @Tag("L1")
    void claimSetsTheLeaseAndCountsTheAttempt() {
        ClaimedTask task = recovery.running(worker);

        Map<String, Object> row = recovery.row(task.id());
        assertThat(row)
                .containsEntry("status", "RUNNING")
                .containsEntry("locked_by", worker.worker())
                .containsEntry("lease_epoch", 1L)
                .containsEntry("attempts", 1);
        assertThat(recovery.count("select (extract(epoch from lock_timeout_at - locked_at) * 1000)::bigint"
                        + " from konduit_task where id = " + task.id()))
                .isEqualTo(300_000);
    }

    @Test
    @Tag("L2")
    void leavesALeaseThatGoesOnAlone() {
        ClaimedTask task = recovery.running(worker);
        Map<String, Object> before = recovery.row(task.id());

        ReclaimResult result = recovery.reclaimer().reclaimOnce();

        assertThat(result).isEqualTo(new ReclaimResult(0, 0, 0, 0, Duration.ZERO));
        assertThat(recovery.row(task.id())).isEqualTo(before);
        assertThat(recovery.incidents(task.id())).isEmpty();
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
        Map<String, Object> row = recovery.row(task.id());
        assertThat(row)
                .containsEntry("status", "PENDING")
                .containsEntry("locked_by", null)
                .containsEntry("locked_at", null)
                .containsEntry("lock_timeout_at", null)
                .containsEntry("attempts", 1)
                .containsEntry("lease_epoch", 1L)
                .containsEntry("zombie_count", 1)
                .containsEntry("hold_reason", null);
        assertThat(row.get("checkpoint")).hasToString("{\"page\": 7}");
        assertThat(row.get("last_checkpoint_at")).isNotNull();
    }

    /** No statement leaves such a row, but a repair by hand may: it must not stay as it is for ever. */
    @Test
    @Tag("L3")
    void reclaimsRunningTaskThatHasNoEndOfItsLease() {
        ClaimedTask task = recovery.running(worker);
        String rule = recovery.jdbc()
                .sql("select pg_get_constraintdef(oid) from pg_constraint where conname = 'rule_lease'")
                .query(String.class)
                .single();
        recovery.jdbc()
                .sql("alter table konduit_task drop constraint rule_lease")
                .update();
        try {
            recovery.jdbc()
                    .sql("update konduit_task set lock_timeout_at = null where id = :id")
                    .param("id", task.id())
                    .update();
            assertThat(new ReclaimRepository(recovery.database())
                            .millisToNextExpiry()
                            .orElseThrow())
                    .isNegative();
            assertThat(recovery.administration().orphans(10)).hasSize(1);
            assertThat(new InspectionRepository(recovery.database(), Duration.ofMinutes(1))
                            .orphans(Duration.ZERO, 5, 10))
                    .hasSize(1);
            assertThat(StatisticsRepository.onControlPath(recovery.database())
                            .recovery(3, "reaper")
                            .oldestExpiredSeconds())
                    .isPositive();

            ReclaimResult result = recovery.reclaimer().reclaimOnce();

            assertThat(result).isEqualTo(new ReclaimResult(1, 0, 0, 0, Duration.ZERO));
        } finally {
            recovery.jdbc()
                    .sql("alter table konduit_task add constraint rule_lease " + rule + " not valid")
                    .update();
        }
        assertThat(recovery.status(task.id())).isEqualTo("PENDING");
        assertThat(recovery.incidents(task.id())).hasSize(1);
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
        Map<String, Object> after = recovery.row(task.id());

        assertThat(recovery.reclaimer().reclaimOnce().total()).isZero();

        assertThat(recovery.row(task.id())).isEqualTo(after);
        assertThat(recovery.incidents(task.id())).hasSize(1);
    }

    @Test
    @Tag("L11")
    void reclaimsInBatchesThatAreEachATransactionOldestFirst() {
        RecoveryFixture probed = new RecoveryFixture(RecoveryFixture.databaseOn(probe));
        probed.insertRunning(1_200, worker.worker(), 60_000);
        List<Long> seenByOthers = new ArrayList<>();
        for (int batch = 0; batch < 3; batch++) {
            probe.onceAfter(
                    RECLAIM,
                    () -> seenByOthers.add(
                            recovery.count("select count(*) from konduit_task where status = 'PENDING'")));
        }

        ReclaimResult result =
                probed.reclaimer(RecoveryFixture.policy(Duration.ZERO, 500)).reclaimOnce();

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
        RecoveryFixture probed = new RecoveryFixture(RecoveryFixture.databaseOn(probe));
        probed.insertRunning(30, worker.worker(), 60_000);
        OrphanReclaimer reclaimer = probed.reclaimer(RecoveryFixture.policy(Duration.ZERO, 10));
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
        assertThat(recovery.row(task.id()))
                .containsEntry("status", "HELD")
                .containsEntry("hold_reason", "NOT_REAPABLE")
                .containsEntry("zombie_count", 1)
                .containsEntry("locked_by", null);
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
        Map<String, Object> held = recovery.row(task.id());

        assertThat(harness.claim(recovery.newWorker(), 10)).isEmpty();
        assertThat(recovery.reclaimer().reclaimOnce().total()).isZero();

        assertThat(recovery.row(task.id())).isEqualTo(held);
    }

    @Test
    @Tag("L17")
    @Tag("I6")
    void quarantinesTaskThatHasLostAsManyWorkersAsAllowed() {
        TaskId id = recovery.queue().enqueue("crasher", null);
        for (int crash = 1; crash <= 4; crash++) {
            recovery.crashOnce(id);
            assertThat(recovery.row(id)).containsEntry("status", "PENDING").containsEntry("zombie_count", crash);
        }

        recovery.crashOnce(id);

        assertThat(recovery.row(id))
                .containsEntry("status", "HELD")
                .containsEntry("hold_reason", "QUARANTINED")
                .containsEntry("zombie_count", 5);
        assertThat(recovery.incidents(id))
                .extracting(incident -> incident.get("classification") + " " + incident.get("action"))
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

        assertThat(recovery.row(task.id())).containsEntry("hold_reason", "QUARANTINED");
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

        recovery.reclaimer(ReclaimPolicy.defaults(), recovery.surroundings(events))
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
                            RecoveryFixture.policy(Duration.ZERO, 10), recovery.surroundings(events))
                    .reclaimOnce();

            assertThat(result.reclaimed()).isEqualTo(15);
        }
    }

    @Test
    void wakeUpThatThrowsDoesNotBreakThePass() {
        recovery.insertRunning(15, worker.worker(), 60_000);
        OrphanReclaimer.Surroundings surroundings = new OrphanReclaimer.Surroundings(
                new QueueEvents(recovery.events()::add),
                ReclaimMonitor.NONE,
                queues -> sneak(new IllegalStateException("wake-up")),
                RecoveryFixture.REAPER);

        ReclaimResult result = recovery.reclaimer(RecoveryFixture.policy(Duration.ZERO, 10), surroundings)
                .reclaimOnce();

        assertThat(result.reclaimed()).isEqualTo(15);
        assertThat(recovery.events()).hasSize(15);
    }

    @Test
    void passThatFailsIsAnEventAndIsNotCountedAsDone() {
        RecoveryFixture probed = new RecoveryFixture(RecoveryFixture.databaseOn(probe));
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
                new OrphanReclaimer.Surroundings(
                        new QueueEvents(probed.events()::add), monitor, queues -> {}, RecoveryFixture.REAPER));
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
        RecoveryFixture probed = new RecoveryFixture(RecoveryFixture.databaseOn(probe));
        ClaimedTask task = recovery.orphan(worker);
        probe.onceBefore(RECLAIM, () -> worker.extend(Map.of(task.lease(), Duration.ofMinutes(5))));

        ReclaimResult result = probed.reclaimer().reclaimOnce();

        assertThat(result).isEqualTo(new ReclaimResult(0, 0, 0, 1, Duration.ZERO));
        assertThat(recovery.row(task.id()))
                .containsEntry("status", "RUNNING")
                .containsEntry("locked_by", worker.worker());
    }

    @Test
    void taskThatWasTakenAndClaimedAnewAfterItWasFoundStaysWithItsNewOwner() {
        RecoveryFixture probed = new RecoveryFixture(RecoveryFixture.databaseOn(probe));
        ClaimedTask task = recovery.orphan(worker);
        LeaseRepository newOwner = recovery.newWorker();
        probe.onceBefore(RECLAIM, () -> {
            recovery.reclaimer().reclaimOnce();
            recovery.makeDue(TaskId.of(task.id()));
            return recovery.claimOne(newOwner);
        });

        assertThat(probed.reclaimer().reclaimOnce().total()).isZero();

        assertThat(recovery.row(task.id()))
                .containsEntry("status", "RUNNING")
                .containsEntry("locked_by", newOwner.worker())
                .containsEntry("zombie_count", 1);
        assertThat(recovery.incidents(task.id())).hasSize(1);
    }

    @Test
    void taskThatWasTakenAfterItWasFoundIsNotTakenTwice() {
        RecoveryFixture probed = new RecoveryFixture(RecoveryFixture.databaseOn(probe));
        ClaimedTask task = recovery.orphan(worker);
        probe.onceBefore(RECLAIM, () -> recovery.reclaimer().reclaimOnce());

        assertThat(probed.reclaimer().reclaimOnce().total()).isZero();

        assertThat(recovery.row(task.id())).containsEntry("status", "PENDING").containsEntry("zombie_count", 1);
        assertThat(recovery.incidents(task.id())).hasSize(1);
    }

    @Test
    void reclaimInSomebodysNameIsRecordedWithThatName() {
        ClaimedTask task = recovery.orphan(worker);

        recovery.reclaimer().reclaimOnce(new AuditRepository.Author("ada", null));

        assertThat(recovery.incidents(task.id()))
                .extracting(incident -> incident.get("actor"))
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
