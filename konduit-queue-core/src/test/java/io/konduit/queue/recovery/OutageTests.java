package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.FaultyDataSource;
import io.konduit.queue.JumpingClock;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.event.ReaperFailed;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ExtensionResult;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

/** The reaper after an outage of the database, a restart and a jump of its clock. */
@Tag("H10")
class OutageTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Duration HEARTBEAT = Duration.ofSeconds(10);
    private static final Duration ROUND = Duration.ofSeconds(12);
    private static final Duration LEASE = Duration.ofMinutes(5);
    /** The test itself takes time too. */
    private static final Duration SLACK = Duration.ofSeconds(5);

    private static JumpingClock clock;

    private final FaultyDataSource connections =
            new FaultyDataSource(harness.testDatabase().dataSource());
    private final OutageGuard guard = new OutageGuard(HEARTBEAT, this::nanoTime);
    private long offset;
    private ControlPool pool;
    private QueueFixture recovery;
    private OrphanReclaimer reaper;
    private LeaseRepository livingWorker;
    private ClaimedTask living;
    private ClaimedTask dead;

    @BeforeAll
    static void installClock() {
        clock = JumpingClock.install(harness.testDatabase());
    }

    @BeforeEach
    void startReaper() {
        clock.serverCameUp(Duration.ofDays(30));
        pool = new ControlPool(connections, 2, Duration.ofMillis(250));
        QueueDatabase database = new QueueDatabase(connections, pool, null);
        recovery = new QueueFixture(database);
        reaper = reaper(database, guard);
        livingWorker = recovery.newWorker();
        living = recovery.running(livingWorker);
        dead = recovery.running(recovery.newWorker());
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    private OrphanReclaimer reaper(QueueDatabase database, OutageGuard itsGuard) {
        return new OrphanReclaimer(
                new ReclaimRepository(database),
                ReclaimPolicy.defaults(),
                itsGuard,
                recovery.reclaimEvents(recovery.queueEvents()),
                this::nanoTime);
    }

    @Test
    @Tag("X9")
    void anHourThatTheClockJumpedTakesNothingFromALivingWorker() {
        assertThat(reaper.reclaimOnce().postponed()).isZero();
        clock.jump(Duration.ofHours(1));
        assertThat(reaper.reclaimOnce().postponed()).isBetween(ROUND.minus(SLACK), ROUND);
        assertBothRunning();
        theLivingWorkerExtends();
        pass(ROUND);
        assertThat(reaper.reclaimOnce().reclaimed()).isEqualTo(1);
        assertOnlyTheDeadWorkerLostItsTask();
    }

    @Test
    @Tag("X9")
    void aClockThatWasPutBackTakesNothingFromAnybody() {
        reaper.reclaimOnce();
        clock.jump(Duration.ofMinutes(-10));
        assertThat(reaper.reclaimOnce().postponed()).isPositive();
        theLivingWorkerExtends();
        pass(ROUND);
        assertThat(reaper.reclaimOnce().total()).isZero();
        assertBothRunning();
    }

    @Test
    void aRestartedServerIsWaitedForAsAnOutageIs() {
        reaper.reclaimOnce();
        harness.expireLease(living.id(), Duration.ofMinutes(1));
        harness.expireLease(dead.id(), Duration.ofMinutes(1));
        clock.serverCameUp(Duration.ofSeconds(3));
        assertThat(reaper.reclaimOnce().postponed()).isBetween(ROUND.minus(SLACK), ROUND);
        theLivingWorkerExtends();
        pass(ROUND);
        assertThat(reaper.reclaimOnce().reclaimed()).isEqualTo(1);
        assertOnlyTheDeadWorkerLostItsTask();
    }

    @Test
    void anInstanceThatStartsOnAServerThatHasJustComeUpWaitsToo() {
        harness.expireLease(living.id(), Duration.ofMinutes(1));
        harness.expireLease(dead.id(), Duration.ofMinutes(1));
        clock.serverCameUp(Duration.ofSeconds(2));
        assertThat(reaper.reclaimOnce().postponed()).isBetween(Duration.ofSeconds(1), ROUND.minusSeconds(2));
        theLivingWorkerExtends();
        pass(ROUND);
        assertThat(reaper.reclaimOnce().reclaimed()).isEqualTo(1);
        assertOnlyTheDeadWorkerLostItsTask();
    }

    @Test
    @Tag("L6")
    void anInstanceThatStartsOnAServerThatHasBeenUpForLongFindsOrphansAtOnce() {
        harness.expireLease(dead.id(), Duration.ofMinutes(1));
        assertThat(reaper.reclaimOnce().reclaimed()).isEqualTo(1);
    }

    @Test
    @Tag("X8")
    void anOutageOfThreeLeasesTakesNothingFromALivingWorker() {
        reaper.reclaimOnce();
        connections.goDown();
        assertThatThrownBy(reaper::reclaimOnce).isInstanceOf(DataAccessException.class);
        assertThat(recovery.events()).hasExactlyElementsOfTypes(ReaperFailed.class);
        pass(LEASE.multipliedBy(3));
        connections.heal();
        assertThat(reclaimOnceConnected().postponed()).isBetween(ROUND.minus(SLACK), ROUND);
        theLivingWorkerExtends();
        pass(ROUND);
        assertThat(reaper.reclaimOnce().reclaimed()).isEqualTo(1);
        assertOnlyTheDeadWorkerLostItsTask();
    }

    @Test
    @Tag("X8")
    void anOutageThatOnlyTheHeartbeatNoticedIsWaitedForToo() {
        WorkerRegistry registry = registry();
        registry.beat(List.of("default"), 1);
        reaper.reclaimOnce();
        connections.goDown();
        assertThatThrownBy(() -> registry.beat(List.of("default"), 1)).isInstanceOf(DataAccessException.class);
        pass(LEASE.multipliedBy(3));
        connections.heal();
        assertThat(reclaimOnceConnected().postponed()).isPositive();
        assertThat(registry.beat(List.of("default"), 1))
                .as("the worker extends at once, although the reaper was first to see the database again")
                .isTrue();
        theLivingWorkerExtends();
        pass(ROUND);
        assertThat(reaper.reclaimOnce().reclaimed()).isEqualTo(1);
        assertOnlyTheDeadWorkerLostItsTask();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5})
    void aDatabaseThatKeepsFailingDelaysRecoveryByFiveRoundsAtMost(int secondsBetween) {
        harness.expireLease(dead.id(), Duration.ofMinutes(1));
        Duration waited = Duration.ZERO;
        ReclaimResult result;
        do {
            connections.goDown();
            assertThatThrownBy(reaper::reclaimOnce).isInstanceOf(DataAccessException.class);
            pass(Duration.ofSeconds(secondsBetween));
            waited = waited.plusSeconds(secondsBetween);
            connections.heal();
            result = reclaimOnceConnected();
            assertThat(waited).isLessThanOrEqualTo(ROUND.multipliedBy(5).plusSeconds(secondsBetween));
        } while (result.reclaimed() == 0);
        assertThat(waited).isGreaterThan(ROUND);
    }

    /** The pool pauses between its attempts to connect, on its own time. */
    private ReclaimResult reclaimOnceConnected() {
        return await().ignoreExceptionsInstanceOf(CannotGetJdbcConnectionException.class)
                .until(reaper::reclaimOnce, Objects::nonNull);
    }

    @Test
    void aPostponedPassTellsTheSchedulerWhenToComeBack() {
        reaper.reclaimOnce();
        clock.jump(Duration.ofHours(1));
        ReaperChore chore = new ReaperChore(reaper, Duration.ofSeconds(30));
        assertThat(chore.run()).isBetween(ROUND.minus(SLACK), ROUND);
        pass(ROUND);
        chore.run();
        assertThat(recovery.status(dead.id())).isEqualTo("PENDING");
    }

    private WorkerRegistry registry() {
        return new WorkerRegistry(
                new WorkerRepository(recovery.database()), WorkerIdentity.create("living"), guard, this::nanoTime);
    }

    private void theLivingWorkerExtends() {
        assertThat(livingWorker.extend(Map.of(living.lease(), LEASE)))
                .containsExactly(Map.entry(living.lease(), ExtensionResult.EXTENDED));
    }

    private void assertBothRunning() {
        assertThat(recovery.status(living.id())).isEqualTo("RUNNING");
        assertThat(recovery.status(dead.id())).isEqualTo("RUNNING");
    }

    private void assertOnlyTheDeadWorkerLostItsTask() {
        assertThat(recovery.status(living.id())).isEqualTo("RUNNING");
        assertThat(recovery.status(dead.id())).isEqualTo("PENDING");
        recovery.assertThatTask(living.id()).hasIncidents(0);
    }

    private long nanoTime() {
        return System.nanoTime() + offset;
    }

    /** Lets time pass for this node and for the database alike. */
    private void pass(Duration time) {
        offset += time.toNanos();
        clock.jump(time);
    }
}
