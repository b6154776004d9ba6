package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.FaultyDataSource;
import io.konduit.queue.Priority;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.settings.TaskNames;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Handlers run on the test's own thread: an interrupt of theirs is a flag on it. */
class LeaseKeeperTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);
    private static final String EXTENSION = "lock_timeout_at = statement_timestamp()";

    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();
    private final FaultyDataSource connections =
            new FaultyDataSource(harness.testDatabase().dataSource());
    private ControlPool pool;
    private LeaseRepository leases;
    private final ActiveLeases active = new ActiveLeases();
    private final ControlHealth health = new ControlHealth();
    private final AtomicInteger beats = new AtomicInteger();
    private final AtomicBoolean alarm = new AtomicBoolean();
    private LeaseKeeper keeper;

    @BeforeEach
    void createKeeper() {
        pool = new ControlPool(connections, 2, Duration.ofMillis(250));
        leases = new LeaseRepository(new QueueDatabase(connections, pool, null), UUID.randomUUID());
        keeper = keeper(QueueMonitor.NONE);
    }

    @AfterEach
    void closePool() {
        Thread.interrupted();
        pool.close();
    }

    private LeaseKeeper keeper(QueueMonitor monitor) {
        WorkerEvents events = new WorkerEvents(monitor, harness.queueEvents());
        LeaseKeeper.Beat beat = new LeaseKeeper.Beat(this::beat, HEARTBEAT);
        return new LeaseKeeper(leases, active, health, events, beat, () -> nanos);
    }

    /** A heartbeat that needs the database, as the real one does. */
    private boolean beat() {
        leases.isHeld(new Lease(0, 0, 0));
        beats.incrementAndGet();
        return alarm.getAndSet(false);
    }

    @Test
    @Tag("H4")
    void leavesALeaseAloneUntilAThirdOfItIsUsed() {
        RunningTask run = running(LEASE);
        connections.forget();
        pass(LEASE.dividedBy(3).minusNanos(1));
        assertThat(keeper.extendOnce()).isTrue();
        assertThat(connections.statements()).isEmpty();
        backDate(run, Duration.ofSeconds(30));
        pass(Duration.ofNanos(1));
        keeper.extendOnce();
        assertThat(leaseLeft(run)).isGreaterThan(LEASE.minusSeconds(30));
    }

    @Test
    @Tag("H4")
    void extendsAllThatNeedItWithOneStatement() {
        List<RunningTask> early =
                IntStream.range(0, 50).mapToObj(i -> claimed(LEASE)).toList();
        pass(Duration.ofMinutes(1));
        RunningTask late = claimed(LEASE);
        early.forEach(run -> backDate(run, Duration.ofMinutes(1)));
        backDate(late, Duration.ofMinutes(1));
        pass(Duration.ofSeconds(40));
        connections.forget();
        keeper.extendOnce();
        assertThat(connections.statements()).singleElement().asString().contains(EXTENSION);
        assertThat(early).allSatisfy(run -> assertThat(leaseLeft(run)).isGreaterThan(Duration.ofMinutes(4)));
        assertThat(leaseLeft(late)).as("its third is not used").isLessThan(Duration.ofMinutes(2));
        keeper.extendOnce();
        assertThat(connections.statements()).as("confirmed for another third").hasSize(1);
    }

    @Test
    @Tag("H4")
    void extendsEachLeaseByItsOwnLockTimeout() {
        RunningTask brief = claimed(Duration.ofSeconds(2));
        RunningTask lasting = claimed(LEASE);
        pass(LEASE);
        keeper.extendOnce();
        assertThat(leaseLeft(brief)).isLessThanOrEqualTo(Duration.ofSeconds(2));
        assertThat(leaseLeft(lasting)).isGreaterThan(Duration.ofMinutes(4));
    }

    @Test
    @Tag("H4")
    void wakesUpInTimeForTheShortestLease() {
        claimed(LEASE);
        claimed(Duration.ofSeconds(1));
        pass(Duration.ofMillis(100));
        assertThat(Duration.ofNanos(keeper.step()))
                .isEqualTo(Duration.ofSeconds(1).dividedBy(3).minusMillis(100));
    }

    @Test
    @Tag("H4")
    void extendsAnExpiredLeaseThatNobodyHasTaken() {
        RunningTask run = running(LEASE);
        harness.expireLease(run.task().id(), Duration.ofHours(1));
        pass(LEASE);
        keeper.extendOnce();
        assertThat(leaseLeft(run)).isGreaterThan(Duration.ofMinutes(4));
        assertThat(run.ended()).isNull();
    }

    @Test
    @Tag("H5")
    void aLostLeaseInterruptsTheHandlerDropsItsResultAndIsToldOnce() {
        RunningTask lost = running(LEASE);
        takeAway(lost);
        pass(LEASE.dividedBy(3));
        keeper.extendOnce();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(lost.ended()).isEqualTo(RunningTask.End.LOST);
        assertThat(lost.dropsResult()).isTrue();
        pass(LEASE.dividedBy(3));
        connections.forget();
        keeper.extendOnce();
        assertThat(connections.statements()).as("lost is final").isEmpty();
        assertThat(harness.events())
                .containsExactly(
                        new LeaseLost(TaskId.of(lost.task().id()), "work", "default", 1, LeaseLost.Reason.TAKEN_BACK));
    }

    @Test
    @Tag("H5")
    void aCancelledTaskIsLostAtItsNextExtension() {
        RunningTask run = running(LEASE);
        harness.queue().cancel(TaskId.of(run.task().id()));
        pass(LEASE.dividedBy(3));
        keeper.extendOnce();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(run.ended()).isEqualTo(RunningTask.End.CANCELLED);
    }

    /** The row may have gone just after the statement that extended it: only another one can tell. */
    @Test
    @Tag("H5")
    void noticeThatComesWhileAnExtensionIsUnderWayAsksForAnother() {
        RunningTask run = running(LEASE);
        pass(LEASE.dividedBy(3));
        CancelNotices notices = new CancelNotices(active, keeper::wake);
        connections.breakStatements(sql -> {
            if (sql.contains(EXTENSION)) {
                notices.received(run.task().id());
            }
            return false;
        });
        keeper.extendOnce();
        connections.heal();
        assertThat(leaseLeft(run)).isGreaterThan(Duration.ofMinutes(4));
        harness.queue().cancel(TaskId.of(run.task().id()));
        keeper.extendOnce();
        assertThat(run.ended()).isEqualTo(RunningTask.End.CANCELLED);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @Tag("H5")
    void oneLostLeaseDoesNotKeepTheOthersFromBeingExtended() {
        RunningTask lost = claimed(LEASE);
        RunningTask kept = claimed(LEASE);
        takeAway(lost);
        backDate(kept, Duration.ofMinutes(1));
        pass(LEASE.dividedBy(3));
        keeper.extendOnce();
        assertThat(lost.dropsResult()).isTrue();
        assertThat(kept.ended()).isNull();
        assertThat(leaseLeft(kept)).isGreaterThan(Duration.ofMinutes(4));
    }

    @Test
    @Tag("H5")
    void aLockedRowIsNeverTakenAsLostAndAskedForAgainSoon() throws SQLException {
        RunningTask busy = running(LEASE);
        RunningTask free = claimed(LEASE);
        pass(LEASE.dividedBy(3));
        try (Connection other = lockRow(busy)) {
            for (int i = 0; i < 20; i++) {
                assertThat(Duration.ofNanos(keeper.step())).isEqualTo(Duration.ofMillis(200));
                pass(Duration.ofMillis(200));
            }
            assertThat(busy.ended()).isNull();
            assertThat(Thread.interrupted()).isFalse();
            assertThat(busy.needsExtension(nanos)).isTrue();
            assertThat(free.needsExtension(nanos)).isFalse();
            other.rollback();
        }
        keeper.step();
        assertThat(busy.needsExtension(nanos)).isFalse();
        assertThat(harness.events()).isEmpty();
    }

    @Test
    @Tag("H5")
    @Tag("H7")
    void aRowThatStaysLockedByOthersIsFencedBeforeItsLeaseEnds() throws SQLException {
        RunningTask busy = running(LEASE);
        pass(LEASE.multipliedBy(9).dividedBy(10));
        try (Connection other = lockRow(busy)) {
            keeper.extendOnce();
            watchdog().checkOnce();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(busy.ended()).isEqualTo(RunningTask.End.SELF_FENCED);
            other.rollback();
        }
    }

    @Test
    @Tag("H5")
    @Tag("C1")
    void aRowLockedByTheHandlersOwnTransactionKeepsItsLease() throws SQLException {
        RunningTask run = running(LEASE);
        LeaseWatchdog watchdog = watchdog();
        run.ownTransactionHoldsRow(true);
        try (Connection own = lockRow(run)) {
            for (int i = 0; i < 30; i++) {
                pass(LEASE.dividedBy(3));
                keeper.extendOnce();
                watchdog.checkOnce();
            }
            assertThat(run.ended()).as("ten leases later").isNull();
            assertThat(Thread.interrupted()).isFalse();
            own.rollback();
        }
        run.ownTransactionHoldsRow(false);
        assertThat(run.needsExtension(nanos))
                .as("at once, whatever was believed")
                .isTrue();
    }

    @Test
    @Tag("H6")
    void aRunOverItsLimitIsNotExtended() {
        RunningTask run = running(LEASE);
        backDate(run, Duration.ofMinutes(1));
        run.end(RunningTask.End.TIMED_OUT);
        connections.forget();
        pass(LEASE.dividedBy(2));
        keeper.extendOnce();
        assertThat(connections.statements()).isEmpty();
        assertThat(leaseLeft(run)).isLessThan(Duration.ofMinutes(2));
    }

    @Test
    @Tag("H7")
    void claimsStopWhileExtensionsFailAndAllLeasesAreExtendedAtOnceAfterwards() {
        RunningTask due = claimed(LEASE);
        pass(Duration.ofMinutes(2));
        RunningTask notDue = claimed(LEASE);
        connections.goDown();
        assertThat(Duration.ofNanos(keeper.step())).isEqualTo(Duration.ofMillis(200));
        assertThat(health.isFailing()).isTrue();
        connections.heal();
        connections.forget();
        backDate(due, Duration.ofSeconds(20));
        backDate(notDue, Duration.ofSeconds(20));
        keeper.step();
        assertThat(health.isFailing()).isFalse();
        assertThat(leaseLeft(due)).isGreaterThan(Duration.ofMinutes(4));
        assertThat(leaseLeft(notDue)).isGreaterThan(Duration.ofMinutes(4));
        assertThat(connections.count(EXTENSION)).isEqualTo(1);
    }

    @Test
    @Tag("H7")
    void claimsStopWhileOnlyHeartbeatsFailAndExtensionsGoOn() {
        RunningTask run = running(LEASE);
        connections.breakStatements(sql -> !sql.contains(EXTENSION));
        backDate(run, Duration.ofMinutes(1));
        pass(LEASE.dividedBy(3));
        for (int i = 0; i < 3; i++) {
            keeper.step();
            assertThat(health.isFailing()).isTrue();
        }
        assertThat(leaseLeft(run)).isGreaterThan(Duration.ofMinutes(4));
        connections.heal();
        keeper.step();
        assertThat(health.isFailing()).isFalse();
    }

    @Test
    @Tag("H7")
    void asksAgainAndAgainWhileTheDatabaseIsAwayAlsoWhenNothingRuns() {
        connections.goDown();
        pass(HEARTBEAT);
        keeper.step();
        assertThat(health.isFailing()).isTrue();
        connections.heal();
        pass(Duration.ofMillis(200));
        keeper.step();
        assertThat(health.isFailing()).as("claiming goes on at once").isFalse();
        assertThat(beats).hasValue(1);
    }

    @Test
    @Tag("H1")
    void beatsOncePerInterval() {
        keeper.step();
        assertThat(beats).as("the worker has just registered").hasValue(0);
        for (int second = 0; second < 60; second++) {
            pass(Duration.ofSeconds(1));
            keeper.step();
        }
        assertThat(beats).hasValue(6);
    }

    @Test
    @Tag("H10")
    void anAlarmOfTheHeartbeatExtendsEveryLeaseAtOnce() {
        RunningTask run = claimed(LEASE);
        harness.expireLease(run.task().id(), Duration.ofMinutes(55)); // the database's clock jumped by an hour
        alarm.set(true);
        pass(HEARTBEAT);
        keeper.step();
        assertThat(leaseLeft(run)).isGreaterThan(Duration.ofMinutes(4));
    }

    @Test
    @Tag("H5")
    void anErrorThatNobodyExpectedDoesNotStopTheKeeper() {
        keeper = keeper(new QueueMonitor() {
            @Override
            public void leaseLost(ClaimedTask task) {
                throw new AssertionError("a broken meter");
            }
        });
        RunningTask lost = running(LEASE);
        RunningTask kept = claimed(LEASE);
        takeAway(lost);
        pass(LEASE.dividedBy(3));
        keeper.step();
        keeper.step();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(kept.needsExtension(nanos)).isFalse();
    }

    @Test
    @Tag("H5")
    void aListenerThatThrowsDoesNotStopTheKeeper() {
        WorkerEvents events = new WorkerEvents(QueueMonitor.NONE, new QueueEvents(event -> {
            throw new IllegalStateException("a broken listener");
        }));
        keeper = new LeaseKeeper(
                leases, active, health, events, new LeaseKeeper.Beat(this::beat, HEARTBEAT), () -> nanos);
        RunningTask lost = running(LEASE);
        takeAway(lost);
        pass(LEASE.dividedBy(3));
        assertThat(keeper.extendOnce()).isTrue();
        assertThat(lost.dropsResult()).isTrue();
    }

    private LeaseWatchdog watchdog() {
        WorkerEvents events = new WorkerEvents(QueueMonitor.NONE, harness.queueEvents());
        return new LeaseWatchdog(active, events, Duration.ZERO, () -> nanos);
    }

    private RunningTask running(Duration lockTimeout) {
        RunningTask run = claimed(lockTimeout);
        assertThat(run.begin(nanos)).isTrue();
        return run;
    }

    private RunningTask claimed(Duration lockTimeout) {
        harness.queue().enqueue("work", null);
        List<ClaimRequest.Probe> probes = Arrays.stream(Priority.values())
                .map(priority -> new ClaimRequest.Probe(TaskNames.DEFAULT_QUEUE, priority.level(), "-infinity"))
                .toList();
        ClaimedTask task = leases.claimDue(new ClaimRequest(probes, 1, lockTimeout, 3, List.of(), List.of("work")))
                .get(0);
        RunningTask run = new RunningTask(task, Duration.ZERO, nanos);
        active.add(run);
        return run;
    }

    private void takeAway(RunningTask run) {
        long id = run.task().id();
        harness.expireLease(id, Duration.ofSeconds(1));
        assertThat(new QueueFixture(harness.database())
                        .reclaimer()
                        .reclaimOnce()
                        .reclaimed())
                .isEqualTo(1);
    }

    /** Leaves so much of the lease in the database. */
    private void backDate(RunningTask run, Duration left) {
        harness.expireLease(run.task().id(), left.negated());
    }

    private Duration leaseLeft(RunningTask run) {
        return Duration.ofMillis(harness.jdbc()
                .sql("select (extract(epoch from lock_timeout_at - clock_timestamp()) * 1000)::bigint"
                        + " from konduit_task where id = :id")
                .param("id", run.task().id())
                .query(Long.class)
                .single());
    }

    private Connection lockRow(RunningTask run) throws SQLException {
        Connection connection = harness.testDatabase().connect();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "select 1 from konduit_task where id = " + run.task().id() + " for update");
        }
        return connection;
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
