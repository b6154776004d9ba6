package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.DatabaseClock;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.Orphan;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.operations.DatabaseQueueInspection;
import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.InspectionSettings;
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
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** When a lease has ended, to the millisecond, on a database clock that stands still and is years from this JVM's. */
class LeaseExpiryTests {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    /** The night on which Central European Time springs forward. */
    private static final Instant NIGHT = Instant.parse("2031-03-30T00:58:00Z");

    @RegisterExtension
    static final QueueHarness harness = QueueHarness.stoppedAt(NIGHT);

    private final DatabaseClock clock = harness.clock();
    private final LeaseRepository worker = harness.newWorker();

    @Test
    @Tag("L1")
    @Tag("L20")
    void leaseEndsOneLockTimeoutAfterTheClaimByTheDatabasesClock() {
        ClaimedTask task = harness.running(worker);

        assertThat(lockTimeoutAt(task)).isEqualTo(NIGHT.plus(LEASE));
    }

    @Test
    @Tag("L2")
    void leavesTaskAloneOneMillisecondBeforeExpiry() {
        ClaimedTask task = harness.running(worker);
        clock.set(NIGHT.plus(LEASE).minus(MILLISECOND));

        assertThat(harness.reclaimer().reclaimOnce().total()).isZero();

        assertThat(harness.status(task.id())).isEqualTo("RUNNING");
    }

    @Test
    @Tag("L2")
    void leavesTaskAloneAtTheInstantOfExpiry() {
        ClaimedTask task = harness.running(worker);
        clock.set(NIGHT.plus(LEASE));

        assertThat(harness.reclaimer().reclaimOnce().total()).isZero();

        assertThat(harness.status(task.id())).isEqualTo("RUNNING");
    }

    @Test
    @Tag("L2")
    void reclaimsTaskOneMillisecondAfterExpiry() {
        ClaimedTask task = harness.running(worker);
        clock.set(NIGHT.plus(LEASE).plus(MILLISECOND));

        assertThat(harness.reclaimer().reclaimOnce().reclaimed()).isEqualTo(1);

        assertThat(harness.status(task.id())).isEqualTo("PENDING");
    }

    @Test
    @Tag("L2")
    void graceIsAddedToTheLease() {
        ReclaimPolicy patient = QueueFixture.policy(Duration.ofSeconds(20), 500);
        QueueInspection inspection = new DatabaseQueueInspection(
                harness.database(), InspectionSettings.of(patient, ChoreSettings.defaults()));
        ClaimedTask task = harness.running(worker);

        clock.set(NIGHT.plus(LEASE).plusSeconds(20));
        assertThat(harness.reclaimer(patient).reclaimOnce().total()).isZero();
        assertThat(inspection.orphans(10)).isEmpty();
        clock.advance(MILLISECOND);
        assertThat(inspection.orphans(10)).extracting(Orphan::id).containsExactly(TaskId.of(task.id()));
        assertThat(harness.reclaimer(patient).reclaimOnce().reclaimed()).isEqualTo(1);
    }

    @Test
    void expiredLeaseThatNobodyHasTakenCanStillBeExtended() {
        ClaimedTask task = harness.running(worker);
        clock.set(NIGHT.plus(LEASE).plusSeconds(1));

        assertThat(worker.extend(Map.of(task.lease(), LEASE))).containsValue(ExtensionResult.EXTENDED);

        assertThat(harness.reclaimer().reclaimOnce().total()).isZero();
        assertThat(lockTimeoutAt(task))
                .isEqualTo(NIGHT.plus(LEASE).plusSeconds(1).plus(LEASE));
    }

    @Test
    void expiredLeaseThatNobodyHasTakenCanStillBeCompleted() {
        ClaimedTask task = harness.running(worker);
        clock.set(NIGHT.plus(LEASE).plusSeconds(1));

        assertThat(worker.complete(Set.of(task.lease()))).containsExactly(task.lease());
        assertThat(harness.reclaimer().reclaimOnce().total()).isZero();
        assertThat(harness.status(task.id())).isEqualTo("COMPLETED");
    }

    @Test
    @Tag("L8")
    void sleepsTheWholeIntervalWhenNothingRuns() {
        Duration interval = Duration.ofSeconds(30);

        assertThat(harness.reclaimer().untilNextExpiry(interval)).isEqualTo(interval);
    }

    @Test
    @Tag("L8")
    void sleepsUntilTheEarliestExpiryWhenThatIsSooner() {
        Duration interval = Duration.ofSeconds(30);
        harness.running(worker);
        harness.running(worker, TaskRequest.of("report", null).lockTimeout(Duration.ofSeconds(12)));

        OrphanReclaimer reclaimer = harness.reclaimer();
        assertThat(reclaimer.untilNextExpiry(interval)).isEqualTo(Duration.ofMillis(12_001));
        clock.advance(Duration.ofMillis(12_001));
        assertThat(reclaimer.reclaimOnce().reclaimed())
                .as("a pass that comes right when it was announced finds the orphan")
                .isEqualTo(1);
        assertThat(reclaimer.untilNextExpiry(interval)).isEqualTo(interval);
    }

    @Test
    @Tag("L8")
    void sleepsUntilTheGraceOfALeaseThatHasEndedIsOver() {
        OrphanReclaimer reclaimer = harness.reclaimer(QueueFixture.policy(Duration.ofSeconds(20), 500));
        harness.running(worker);
        clock.set(NIGHT.plus(LEASE).plusSeconds(15));

        assertThat(reclaimer.untilNextExpiry(Duration.ofSeconds(30))).isEqualTo(Duration.ofMillis(5_001));
    }

    @Test
    @Tag("L8")
    void doesNotSpinOnAnOrphanThatSomebodyHasLocked() throws SQLException {
        ClaimedTask task = harness.running(worker);
        clock.set(NIGHT.plus(LEASE).plusMillis(1));
        OrphanReclaimer reclaimer = harness.reclaimer();
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select 1 from konduit_task where id = " + task.id() + " for update");

            assertThat(reclaimer.reclaimOnce().busy()).isEqualTo(1);

            assertThat(reclaimer.untilNextExpiry(Duration.ofSeconds(30))).isEqualTo(Duration.ofMillis(50));
            clock.set(NIGHT.plus(LEASE).plusMillis(401));
            assertThat(reclaimer.untilNextExpiry(Duration.ofSeconds(30))).isEqualTo(Duration.ofMillis(400));
            clock.set(NIGHT.plus(LEASE).plusSeconds(10));
            assertThat(reclaimer.untilNextExpiry(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(1));
            assertThat(reclaimer.untilNextExpiry(Duration.ofMillis(500))).isEqualTo(Duration.ofMillis(500));
        }
    }

    @Test
    @Tag("L8")
    void leasesThatEndOneAfterTheOtherAreTakenTogether() {
        harness.running(worker);
        clock.set(NIGHT.plus(LEASE).minus(MILLISECOND));

        assertThat(harness.reclaimer().untilNextExpiry(Duration.ofSeconds(30))).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    @Tag("L8")
    void choreRunsAPassAndSaysWhenToComeBack() {
        ReaperChore chore = new ReaperChore(harness.reclaimer(), Duration.ofSeconds(30));
        ClaimedTask orphan = harness.running(worker);
        clock.set(NIGHT.plus(LEASE).minusSeconds(10));
        harness.running(worker, TaskRequest.of("report", null).lockTimeout(Duration.ofSeconds(17)));
        clock.set(NIGHT.plus(LEASE).plus(MILLISECOND));

        Duration next = chore.run();

        assertThat(harness.status(orphan.id())).isEqualTo("PENDING");
        assertThat(next).isEqualTo(Duration.ofSeconds(7));
        assertThat(chore.name()).isEqualTo("reaper");
        assertThat(chore.interval()).isEqualTo(Duration.ofSeconds(30));
        assertThat(chore.isVital())
                .as("it also runs at start, and without a leader")
                .isTrue();
    }

    @Test
    @Tag("L6")
    void firstPassFindsOrphansFromBeforeTheStart() {
        harness.insertRunning(3, UUID.randomUUID(), 60_000);

        new ReaperChore(harness.reclaimer(), Duration.ofSeconds(30)).run();

        assertThat(harness.count("select count(*) from konduit_task where status = 'PENDING'"))
                .isEqualTo(3);
    }

    @Test
    @Tag("L7")
    void stuckTimeIsBoundedByLeaseGraceAndInterval() {
        Duration interval = Duration.ofSeconds(30);
        Duration grace = Duration.ofSeconds(20);
        ReaperChore chore = new ReaperChore(harness.reclaimer(QueueFixture.policy(grace, 500)), interval);
        // the worst time for a crash: right after the claim, and right after a pass that did not know of it
        Duration sleep = chore.run();
        ClaimedTask task = harness.running(worker);
        Instant claimed = clock.now();
        while (harness.status(task.id()).equals("RUNNING")) {
            assertThat(sleep).isPositive().isLessThanOrEqualTo(interval);
            clock.advance(sleep);
            sleep = new ReaperChore(harness.reclaimer(QueueFixture.policy(grace, 500)), interval).run();
        }

        assertThat(Duration.between(claimed, clock.now()))
                .isGreaterThan(LEASE.plus(grace))
                .isLessThanOrEqualTo(LEASE.plus(grace).plus(interval));
        // and with the earliest expiry known, it comes right after it
        assertThat(Duration.between(claimed, clock.now()))
                .isLessThanOrEqualTo(LEASE.plus(grace).plusMillis(50));
    }

    @Test
    @Tag("L16")
    void firstReturnIsAtOnce() {
        assertThat(waitsAfter(1)).allSatisfy(wait -> assertThat(wait).isBetween(Duration.ZERO, Duration.ofMillis(100)));
    }

    @Test
    @Tag("L16")
    void laterReturnsWaitTwiceAsLongEachUpToTheCap() {
        Duration[] expected = {
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20),
            Duration.ofSeconds(40),
            Duration.ofSeconds(80),
            Duration.ofSeconds(160),
            Duration.ofSeconds(300),
            Duration.ofSeconds(300),
        };
        for (int i = 0; i < expected.length; i++) {
            Duration longest = expected[i];
            assertThat(waitsAfter(i + 2)).as("return %d", i + 2).allSatisfy(wait -> assertThat(wait)
                    .isBetween(longest.multipliedBy(3).dividedBy(4), longest));
        }
        assertThat(waitsAfter(1_000_000))
                .allSatisfy(wait -> assertThat(wait).isBetween(Duration.ofSeconds(225), Duration.ofSeconds(300)));
    }

    @Test
    @Tag("L16")
    void waitsAreSpreadSoThatTasksDoNotReturnTogether() {
        harness.insertRunning(200, worker.worker(), 60_000);
        harness.bulk("update konduit_task set zombie_count = 2", statement -> {});
        harness.reclaimer().reclaimOnce();

        assertThat(harness.count("select count(distinct run_at) from konduit_task"))
                .isGreaterThan(150);
    }

    @Test
    @Tag("L20")
    void databaseClockThatIsSetBackKeepsALivingLease() {
        ClaimedTask task = harness.running(worker);
        clock.set(NIGHT.minus(Duration.ofDays(1)));

        assertThat(harness.reclaimer().reclaimOnce().total()).isZero();

        assertThat(harness.status(task.id())).isEqualTo("RUNNING");
    }

    /** How long tasks wait when they are reclaimed for the so-many-th time. */
    private List<Duration> waitsAfter(int reclaims) {
        harness.testDatabase().execute("truncate konduit_task, konduit_task_incident");
        harness.insertRunning(200, worker.worker(), 60_000);
        // without quarantine, which would come first
        ReclaimPolicy endless = new ReclaimPolicy(
                Duration.ZERO, 500, 2, Integer.MAX_VALUE, Duration.ofSeconds(5), Duration.ofMinutes(5));
        harness.bulk("update konduit_task set zombie_count = ?", statement -> statement.setInt(1, reclaims - 1));
        assertThat(harness.reclaimer(endless).reclaimOnce().reclaimed()).isEqualTo(200);
        return harness
                .jdbc()
                .sql("select round(extract(epoch from run_at - test_clock.clock_timestamp()) * 1000)::bigint"
                        + " from konduit_task where status = 'PENDING'")
                .query(Long.class)
                .list()
                .stream()
                .map(Duration::ofMillis)
                .toList();
    }

    private Instant lockTimeoutAt(ClaimedTask task) {
        return harness.row(task.id()).lockTimeoutAt();
    }
}
