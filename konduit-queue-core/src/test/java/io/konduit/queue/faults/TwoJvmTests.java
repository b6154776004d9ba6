package io.konduit.queue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TestNode;
import io.konduit.queue.faults.FaultHandlers.Work;
import io.konduit.queue.faults.FaultReport.Interrupted;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Worker JVMs of their own that are killed, paused, stopped and cut off. Each test shows that its fault really happened,
 * and ends with a line of figures. One round each by default, many with the tag {@code long}.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
@EnabledOnOs({OS.LINUX, OS.MAC})
class TwoJvmTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    @RegisterExtension
    final WorkerJvms jvms = new WorkerJvms();

    private static final Logger log = LoggerFactory.getLogger(TwoJvmTests.class);
    private static final int SLOTS = 4;
    private static final int MANY_ROUNDS = 20;
    private static final int QUARANTINE_AFTER = 3;
    private static final Duration DRAIN = Duration.ofMillis(300);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Four times L7: on a machine that is busy with other things everything comes late. */
    private static final Duration RECOVERY_GOAL = TestNode.RECOVERY_BOUND.multipliedBy(4);

    private final List<TaskId> acknowledged = new ArrayList<>();
    private final List<Interrupted> interrupted = new ArrayList<>();
    private final TaskQueue queue = harness.queue();
    private int attempted;

    @BeforeAll
    static void createEffects() {
        harness.testDatabase()
                .execute("create table effects (id bigint generated always as identity primary key,"
                        + " task_id bigint not null, epoch bigint not null, type text not null,"
                        + " at timestamptz not null default clock_timestamp())");
    }

    @BeforeEach
    void forgetEffects() {
        harness.testDatabase().execute("truncate effects");
    }

    @Test
    @Tag("X1")
    @Tag("L7")
    void tasksOfAKilledWorkerAreRunByTheOther() {
        killAWorker(1);
    }

    @Test
    @Tag("X1")
    @Tag("long")
    void tasksOfWorkersKilledAgainAndAgainAreRunByTheOther() {
        killAWorker(MANY_ROUNDS);
    }

    private void killAWorker(int rounds) {
        WorkerJvm victim = start("killed");
        WorkerJvm other = start("other");
        victim.awaitReady();
        other.awaitReady();
        for (int round = 1; round <= rounds; round++) {
            for (int i = 0; i < 20; i++) {
                enqueue("effect", new Work(200));
                enqueue("exact", new Work(200));
            }
            WorkerJvm chosen = victim;
            await().atMost(PATIENCE).until(() -> chosen.begun().size() >= SLOTS - 1);
            long killed = System.currentTimeMillis();
            victim.kill();
            victim.begun().forEach(task -> interrupted.add(new Interrupted(task, killed)));
            WorkerJvm replacement = rounds == 1 ? other : start("started in round " + round);
            awaitSettled();
            victim = other;
            other = replacement.awaitReady();
        }
        FaultReport report = report("X1 kill -9, " + rounds + " times");
        assertThat(report.recovered()).as("the fault happened").isGreaterThanOrEqualTo(rounds);
        assertNothingLost(report);
        assertThat(report.duplicateRuns()).isLessThanOrEqualTo((long) rounds * SLOTS);
        assertRecoveredInTime(report);
    }

    @Test
    @Tag("X2")
    @Tag("F2")
    @Tag("F3")
    void aWorkerThatWakesUpAfterThreeLeasesIsRefused() {
        pauseForThreeLeases(1);
    }

    @Test
    @Tag("X2")
    @Tag("long")
    void workersThatWakeUpAfterThreeLeasesAreRefusedAgainAndAgain() {
        pauseForThreeLeases(MANY_ROUNDS);
    }

    private void pauseForThreeLeases(int rounds) {
        WorkerJvm one = start("one");
        WorkerJvm two = start("two");
        one.awaitReady();
        two.awaitReady();
        for (int round = 1; round <= rounds; round++) {
            long task = enqueue("zombie", null).value();
            await().atMost(PATIENCE)
                    .until(() -> one.begun().contains(task) || two.begun().contains(task));
            WorkerJvm paused = one.begun().contains(task) ? one : two;
            interrupted.add(new Interrupted(task, System.currentTimeMillis()));
            paused.pause();
            lastFor(TestNode.LOCK_TIMEOUT.multipliedBy(3));
            // later still when the other was starved for so long that it put the reaper off (H10)
            await("the other has run it meanwhile").atMost(PATIENCE).until(() -> harness.status(TaskId.of(task))
                    .equals("COMPLETED"));
            paused.resume();
            await().atMost(PATIENCE).until(() -> paused.said("end").anyMatch(line -> line.task() == task));
            assertThat(paused.said("interrupted").filter(line -> line.task() == task))
                    .hasSize(1);
            assertThat(paused.said("refused").filter(line -> line.task() == task))
                    .as("its transaction")
                    .hasSize(1);
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(harness.jdbc()
                            .sql("select late_outcome from konduit_task_incident where task_id = :id")
                            .param("id", task)
                            .query(String.class)
                            .list())
                    .as("its completion")
                    .containsExactly("COMPLETED"));
            assertThat(harness.jdbc()
                            .sql("select epoch from effects where task_id = :id")
                            .param("id", task)
                            .query(Long.class)
                            .list())
                    .containsExactly(2L);
        }
        FaultReport report = report("X2 pause of three leases, " + rounds + " times");
        assertThat(report.recovered()).as("the fault happened").isEqualTo(rounds);
        assertNothingLost(report);
        assertThat(report.duplicateEffects()).isZero();
        assertRecoveredInTime(report);
    }

    @Test
    @Tag("X3")
    void aPauseOfHalfALeaseLosesNothing() {
        pauseForHalfALease(3);
    }

    @Test
    @Tag("X3")
    @Tag("long")
    void manyPausesOfHalfALeaseLoseNothing() {
        pauseForHalfALease(10 * MANY_ROUNDS);
    }

    private void pauseForHalfALease(int rounds) {
        WorkerJvm paused = start("paused").awaitReady();
        for (int i = 0; i < SLOTS; i++) {
            enqueue("patient", null);
        }
        await().until(() -> paused.begun().size() == SLOTS);
        start("reaper").awaitReady();
        for (int round = 1; round <= rounds; round++) {
            paused.pause();
            lastFor(TestNode.LOCK_TIMEOUT.dividedBy(2));
            paused.resume();
            // at a different point of the lease each time
            lastFor(Duration.ofMillis(300 + 100 * (round % 7)));
        }
        assertThat(harness.jdbc()
                        .sql("select count(*) from konduit_task where status = 'RUNNING' and locked_by = :worker")
                        .param("worker", paused.worker())
                        .query(Long.class)
                        .single())
                .as("it still has its tasks")
                .isEqualTo(SLOTS);
        assertThat(paused.said("end")).isEmpty();
        paused.terminate();
        awaitSettled();
        FaultReport report = report("X3 pause of half a lease, " + rounds + " times");
        assertNothingLost(report);
        assertThat(report.recovered()).isZero();
    }

    @Test
    @Tag("X12")
    @Tag("L17")
    @Tag("L18")
    void aTaskThatKillsItsJvmIsHeldAndItsNeighboursAreNot() {
        List<WorkerJvm> running = new ArrayList<>(List.of(start("first"), start("second")));
        running.forEach(WorkerJvm::awaitReady);
        for (int i = 0; i < 30; i++) {
            enqueue("effect", new Work(50));
        }
        TaskId culprit = enqueue("killer", null);
        for (int i = 0; i < 30; i++) {
            enqueue("effect", new Work(50));
        }
        AtomicInteger crashes = new AtomicInteger();
        await().atMost(PATIENCE.multipliedBy(2)).until(() -> {
            for (int i = 0; i < running.size(); i++) {
                if (!running.get(i).isAlive()) {
                    running.set(i, start("restarted after crash " + crashes.incrementAndGet()));
                }
            }
            return unsettled() == 0;
        });
        FaultReport report = report("X12 a task that halts its JVM");
        assertThat(crashes).as("the fault happened, and not more often").hasValue(QUARANTINE_AFTER);
        assertNothingLost(report);
        assertThat(harness.status(culprit)).isEqualTo("HELD");
        assertThat(harness.jdbc()
                        .sql("select hold_reason from konduit_task where id = :id")
                        .param("id", culprit.value())
                        .query(String.class)
                        .single())
                .isEqualTo("QUARANTINED");
        assertThat(harness.count("select count(*) from konduit_task_history where status = 'COMPLETED'"))
                .as("innocent neighbours")
                .isEqualTo(60);
    }

    @Test
    @Tag("X22")
    @Tag("S8")
    void tasksOfAStoppedWorkerAreGivenBackAndPickedUpAtOnce() {
        stopAWorker(1);
    }

    @Test
    @Tag("X22")
    @Tag("long")
    void tasksOfWorkersStoppedAgainAndAgainArePickedUpAtOnce() {
        stopAWorker(MANY_ROUNDS);
    }

    private void stopAWorker(int rounds) {
        for (int round = 1; round <= rounds; round++) {
            WorkerJvm stopped = start("stopped in round " + round).awaitReady();
            for (int i = 0; i < SLOTS; i++) {
                enqueue("patient", null);
            }
            await().until(() -> stopped.begun().size() == SLOTS);
            List<Long> tasks = stopped.begun();
            WorkerJvm other = start("other in round " + round).awaitReady();
            long drained = System.currentTimeMillis() + DRAIN.toMillis();
            stopped.terminate();
            tasks.forEach(task -> interrupted.add(new Interrupted(task, drained)));
            awaitSettled();
            stopped.awaitEnd();
            assertThat(stopped.said("stopped")).as("it stopped gracefully").hasSize(1);
            other.terminate();
            other.awaitEnd();
        }
        FaultReport report = report("X22 SIGTERM, " + rounds + " times");
        assertThat(report.duplicateRuns()).as("the fault happened").isEqualTo((long) rounds * SLOTS);
        assertNothingLost(report);
        assertThat(report.recovered()).as("nothing had to be reclaimed").isZero();
        assertThat(report.longestRecovery()).as("after the drain time").isLessThan(RECOVERY_GOAL);
        assertThat(
                        harness.count(
                                "select count(*) from konduit_task_history where lease_epoch = 2 and attempts = 1 and max_attempts = 3"))
                .as("the attempt was not charged")
                .isEqualTo((long) rounds * SLOTS);
    }

    @Test
    @Tag("X7")
    @Tag("X5")
    void brokenConnectionsUnderLoadLoseNothing() {
        breakConnections(8);
    }

    @Test
    @Tag("X7")
    @Tag("long")
    void connectionsBrokenAgainAndAgainUnderLoadLoseNothing() {
        breakConnections(10 * MANY_ROUNDS);
    }

    private void breakConnections(int times) {
        List<WorkerJvm> workers = List.of(start("one"), start("two"));
        workers.forEach(WorkerJvm::awaitReady);
        long broken = 0;
        for (int i = 0; i < times; i++) {
            long until = System.nanoTime() + Duration.ofMillis(250).toNanos();
            while (System.nanoTime() - until < 0) {
                tryToEnqueue("effect");
                tryToEnqueue("exact");
            }
            broken += breakAllConnections();
        }
        awaitSettled();
        FaultReport report = report("X7 all " + broken + " connections broken in " + times + " strokes");
        assertThat(broken).as("the fault happened").isGreaterThan(times);
        assertNothingLost(report);
        assertThat(workers).allMatch(WorkerJvm::isAlive);
        assertThat(report.acknowledged()).isGreaterThan(times);
    }

    private void tryToEnqueue(String type) {
        try {
            enqueue(type, new Work(10));
        } catch (DataAccessException | TransactionException e) {
            log.debug("Not acknowledged: {}", e.toString());
        }
    }

    private static long breakAllConnections() {
        try (Connection connection = harness.testDatabase().connect();
                Statement statement = connection.createStatement();
                ResultSet result =
                        statement.executeQuery("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                                + " where datname = current_database() and pid <> pg_backend_pid()")) {
            result.next();
            return result.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException("The connections could not be broken.", e);
        }
    }

    private WorkerJvm start(String name) {
        WorkerJvm jvm = WorkerJvm.start(harness.testDatabase().jdbcUrl(), name, SLOTS, DRAIN, QUARANTINE_AFTER);
        return jvms.add(jvm);
    }

    private TaskId enqueue(String type, Object payload) {
        attempted++;
        TaskId id = queue.enqueue(type, payload);
        acknowledged.add(id);
        return id;
    }

    private void awaitSettled() {
        await().atMost(PATIENCE).until(() -> unsettled() == 0);
    }

    private static long unsettled() {
        try {
            return harness.count("select count(*) from konduit_task where status <> 'HELD'");
        } catch (DataAccessException e) {
            return Long.MAX_VALUE; // one of the broken connections
        }
    }

    private static void lastFor(Duration time) {
        await().pollDelay(time).atMost(time.plus(PATIENCE)).until(() -> true);
    }

    private FaultReport report(String fault) {
        FaultReport report = FaultReport.of(
                fault, harness.testDatabase().dataSource(), attempted, acknowledged, interrupted, jvms.all());
        log.info("{}", report);
        return report;
    }

    /** L7, unless a worker was starved for so long that it took that for an outage (H10), and said so. */
    private void assertRecoveredInTime(FaultReport report) {
        if (jvms.stream().noneMatch(WorkerJvm::putTheReaperOff)) {
            assertThat(report.longestRecovery()).isLessThanOrEqualTo(RECOVERY_GOAL);
        }
    }

    private static void assertNothingLost(FaultReport report) {
        assertThat(report.lost()).as("lost").isZero();
        assertThat(report.staleAccepted()).as("stale accepted").isZero();
        assertThat(report.duplicateExactEffects())
                .as("effects of transactional handlers that happened twice")
                .isZero();
    }
}
