package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.DatabaseClock;
import io.konduit.queue.HoldReason;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.SqlFile;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.StoredIncident;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.event.TaskHeld;
import io.konduit.queue.event.TaskReclaimed;
import io.konduit.queue.leader.PeriodicChore;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ExtensionResult;
import io.konduit.queue.store.LeaseRepository;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tasks that make no progress although their worker extends their leases, on a database clock that stands still. */
@Tag("C3")
@Tag("C4")
class AbandonedLeaseCleanerTests {
    private static final Instant START = Instant.parse("2031-01-06T12:00:00Z");
    private static final Duration THRESHOLD = Duration.ofDays(7);
    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final String RECLAIM = SqlFile.opening("reclaim");

    @RegisterExtension
    static final QueueHarness harness = QueueHarness.stoppedAt(START);

    private final DatabaseClock clock = harness.clock();
    private final LeaseRepository worker = harness.newWorker();

    @Test
    @Tag("T10")
    void takesTaskWithoutCheckpointWhenItsClaimIsOlderThanTheThreshold() {
        ClaimedTask task = harness.running(worker);

        clock.set(START.plus(THRESHOLD));
        extend(task);
        assertThat(clean().total()).as("exactly as old as the threshold").isZero();
        clock.advance(MILLISECOND);
        extend(task);
        assertThat(clean()).isEqualTo(new ReclaimResult(1, 0, 0, 0, Duration.ZERO));

        harness.assertThatTask(task.id())
                .isPending()
                .hasNoLease()
                .hasZombieCount(1)
                .hasAttempts(1);
    }

    @Test
    void checkpointInThisRunCountsAsProgress() {
        ClaimedTask task = harness.running(worker);
        clock.advance(Duration.ofDays(6));
        worker.checkpoint(task.lease(), LEASE, "{\"page\": 7}");

        clock.set(START.plus(Duration.ofDays(13)));
        extend(task);
        assertThat(clean().total()).isZero();
        clock.advance(MILLISECOND);
        extend(task);
        assertThat(clean().reclaimed()).isEqualTo(1);

        harness.assertThatTask(task.id()).hasCheckpoint("{\"page\": 7}");
    }

    @Test
    void checkpointOfAnEarlierRunDoesNotMakeAFreshClaimAbandoned() {
        ClaimedTask task = harness.running(worker);
        worker.checkpoint(task.lease(), LEASE, "{\"page\": 7}");
        clock.advance(Duration.ofDays(8));
        assertThat(harness.reclaimer().reclaimOnce().reclaimed()).isEqualTo(1);
        harness.makeDue(TaskId.of(task.id()));
        ClaimedTask again = harness.claimOne(worker);

        assertThat(clean().total()).isZero();

        clock.advance(THRESHOLD.plus(MILLISECOND));
        extend(again);
        assertThat(clean().reclaimed()).isEqualTo(1);
    }

    @Test
    void workerLearnsThatTheTaskIsGone() {
        ClaimedTask task = abandoned(TaskRequest.of("import", null));
        clean();

        assertThat(worker.extend(Map.of(task.lease(), LEASE))).containsValue(ExtensionResult.LOST);
        assertThat(worker.complete(Set.of(task.lease()))).isEmpty();
        assertThat(harness.status(task.id())).isEqualTo("PENDING");
    }

    @Test
    void holdsTaskThatIsNotReapable() {
        ClaimedTask task = abandoned(TaskRequest.of("payment", null).reapable(false));

        assertThat(clean()).isEqualTo(new ReclaimResult(0, 1, 0, 0, Duration.ZERO));

        harness.assertThatTask(task.id()).isHeldBecause(HoldReason.NOT_REAPABLE);
        assertThat(harness.incidents(task.id()).get(0))
                .returns("ABANDONED", StoredIncident::classification)
                .returns("HELD", StoredIncident::action);
        assertThat(harness.events())
                .containsExactly(new TaskHeld(
                        TaskId.of(task.id()), "payment", "default", HoldReason.NOT_REAPABLE, worker.worker(), 1, 1));
    }

    @Test
    void abandonmentsCountTowardsTheQuarantine() {
        ClaimedTask task = abandoned(TaskRequest.of("import", null));
        harness.bulk("update konduit_task set zombie_count = 4", statement -> {});

        assertThat(clean().quarantined()).isEqualTo(1);

        harness.assertThatTask(task.id()).hasHoldReason("QUARANTINED");
    }

    @Test
    @Tag("L19")
    void leavesAnIncidentAnEventAndALineWithTheOldOwner() {
        ClaimedTask task = abandoned(TaskRequest.of("import", null));
        try (CapturedLog log = CapturedLog.ofPackageOf(AbandonedLeaseCleaner.class)) {
            clean();

            assertThat(log.at(Level.WARN))
                    .containsExactly("Task " + task.id() + " (import) had made no progress and was taken from worker "
                            + worker.worker());
            assertThat(log.at(Level.INFO))
                    .containsExactly(
                            "Reclaimed 1 abandoned tasks; 0 held because they are not reapable, 0 quarantined");
        }
        harness.assertThatTask(task.id()).hasIncidents(1);
        assertThat(harness.incidents(task.id()).get(0))
                .returns("ABANDONED", StoredIncident::classification)
                .returns("RECLAIMED", StoredIncident::action)
                .returns(QueueFixture.REAPER, StoredIncident::actor)
                .returns(worker.worker(), StoredIncident::previousOwner)
                .returns(1L, StoredIncident::leaseEpoch)
                .returns(START, StoredIncident::leaseStartedAt)
                .returns(0L, StoredIncident::detectionDelayMs);
        assertThat(harness.events())
                .containsExactly(
                        new TaskReclaimed(TaskId.of(task.id()), "import", "default", worker.worker(), 1, 1, true));
        assertThat(harness.wakeUps()).containsExactly(Set.of("default"));
    }

    @Test
    void saysNothingWhenNothingIsAbandoned() {
        harness.running(worker);
        try (CapturedLog log = CapturedLog.ofPackageOf(AbandonedLeaseCleaner.class)) {
            assertThat(clean()).isEqualTo(new ReclaimResult(0, 0, 0, 0, Duration.ZERO));

            assertThat(log.all()).isEmpty();
        }
        assertThat(harness.events()).isEmpty();
    }

    @Test
    void leavesWaitingHeldAndFailedTasksAlone() {
        TaskId waiting = harness.queue().enqueue(TaskRequest.of("import", null).delay(Duration.ofDays(400)));
        ClaimedTask held =
                harness.orphan(worker, TaskRequest.of("payment", null).reapable(false));
        harness.reclaimer().reclaimOnce();
        clock.advance(Duration.ofDays(365));

        assertThat(clean().total()).isZero();

        assertThat(harness.status(waiting.value())).isEqualTo("PENDING");
        assertThat(harness.status(held.id())).isEqualTo("HELD");
    }

    @Test
    void batchOfLockedRowsDoesNotHideLaterOnes() throws SQLException {
        harness.insertRunning(25, worker.worker(), -60_000);
        clock.advance(Duration.ofDays(8));
        List<Long> ids = harness.jdbc()
                .sql("select id from konduit_task order by id")
                .query(Long.class)
                .list();
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select 1 from konduit_task where id <= " + ids.get(14) + " for update");

            ReclaimResult result = harness.cleaner(QueueFixture.policy(Duration.ZERO, 10), THRESHOLD)
                    .cleanOnce();

            assertThat(result).isEqualTo(new ReclaimResult(10, 0, 0, 15, Duration.ZERO));
            other.rollback(); // closing alone releases the locks a little later
        }
        assertThat(clean().reclaimed()).isEqualTo(15);
    }

    @Test
    void progressMadeAfterTheTaskWasFoundKeepsIt() throws SQLException {
        ClaimedTask task = abandoned(TaskRequest.of("import", null));
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("update konduit_task set last_checkpoint_at = clock_timestamp() where id = " + task.id());

            assertThat(clean()).isEqualTo(new ReclaimResult(0, 0, 0, 1, Duration.ZERO));
            other.commit();
        }
        assertThat(clean().total()).isZero();
        assertThat(harness.status(task.id())).isEqualTo("RUNNING");
    }

    /** Its checkpoint stays and is as old as before, so only its status tells that it was taken. */
    @Test
    @Tag("T10")
    void taskThatWasTakenAfterItWasFoundIsNotTakenTwice() {
        StatementProbe probe = new StatementProbe(harness.testDatabase().newPool(4));
        QueueFixture probed = new QueueFixture(QueueFixture.databaseOn(probe));
        ClaimedTask task = harness.running(worker);
        worker.checkpoint(task.lease(), LEASE, "{\"page\": 7}");
        clock.advance(THRESHOLD.plus(MILLISECOND));
        extend(task);
        probe.onceBefore(RECLAIM, this::clean);

        assertThat(probed.cleaner(ReclaimPolicy.defaults(), THRESHOLD)
                        .cleanOnce()
                        .total())
                .isZero();

        harness.assertThatTask(task.id()).isPending().hasZombieCount(1).hasIncidents(1);
    }

    @Test
    void choreRunsOncePerIntervalAndIsNotNeededForSafety() {
        abandoned(TaskRequest.of("import", null));
        AbandonedLeaseCleaner cleaner = harness.cleaner(ReclaimPolicy.defaults(), THRESHOLD);
        PeriodicChore chore = new PeriodicChore("abandoned", Duration.ofHours(6), cleaner::cleanOnce);

        assertThat(chore.run()).isEqualTo(Duration.ofHours(6));

        assertThat(harness.count("select count(*) from konduit_task where status = 'PENDING'"))
                .isEqualTo(1);
        assertThat(chore.isVital()).isFalse();
    }

    /** A task that has made no progress for too long, while its worker is alive. */
    private ClaimedTask abandoned(TaskRequest request) {
        ClaimedTask task = harness.running(worker, request);
        clock.advance(THRESHOLD.plus(MILLISECOND));
        extend(task);
        assertThat(harness.reclaimer().reclaimOnce().total())
                .as("the reaper has no reason to take it")
                .isZero();
        return task;
    }

    private void extend(ClaimedTask task) {
        assertThat(worker.extend(Map.of(task.lease(), LEASE))).containsValue(ExtensionResult.EXTENDED);
    }

    private ReclaimResult clean() {
        return harness.cleaner(ReclaimPolicy.defaults(), THRESHOLD).cleanOnce();
    }
}
