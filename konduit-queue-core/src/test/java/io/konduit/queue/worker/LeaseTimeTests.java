package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.konduit.queue.LeaseLost;
import io.konduit.queue.LogCapture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ControlPool;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.worker.Execution.End;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataAccessResourceFailureException;

/** The keeper and the watchdog with a local clock that the test moves. */
class LeaseTimeTests {
    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final TaskQueue queue = harness.queue();
    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger beats = new AtomicInteger();
    private final ActiveLeases active = new ActiveLeases();
    private final ControlHealth health = new ControlHealth();
    private final WorkerEvents events = new WorkerEvents(QueueMonitor.NONE, harness.queueEvents());
    private LeaseRepository leases = harness.newWorker();
    private final LeaseWatchdog watchdog = new LeaseWatchdog(active, events, Duration.ofHours(1), nanos::get);

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    private LeaseKeeper keeper() {
        return new LeaseKeeper(
                leases,
                active,
                health,
                events,
                new LeaseKeeper.Beat(
                        () -> {
                            beats.incrementAndGet();
                            return false;
                        },
                        Duration.ofSeconds(10)),
                nanos::get);
    }

    private Execution running(Duration timeout) {
        TaskId id = queue.enqueue(TaskRequest.of("a", 1).lockTimeout(LEASE));
        ClaimedTask task = harness.claimOne(leases);
        assertThat(task.id()).isEqualTo(id.value());
        Execution execution = new Execution(task, timeout, nanos.get());
        active.add(execution);
        execution.begin(nanos.get());
        return execution;
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    @Tag("H4")
    void shortTasksAreNeverExtendedAndLongOnesWhenAThirdIsUsed() {
        LeaseKeeper keeper = keeper();
        Execution execution = running(Duration.ZERO);
        harness.expireLease(execution.task().id(), Duration.ofMinutes(1));
        pass(Duration.ofSeconds(9));
        keeper.extendOnce();
        assertThat(secondsLeft(execution)).isNegative();
        pass(Duration.ofSeconds(1));
        keeper.extendOnce();
        assertThat(secondsLeft(execution)).isBetween(20L, 30L);
        assertThat(execution.ended()).isNull();
    }

    @Test
    @Tag("H5")
    void lostLeaseInterruptsTheHandlerAndIsToldOnce() {
        LeaseKeeper keeper = keeper();
        Execution execution = running(Duration.ZERO);
        queue.cancel(TaskId.of(execution.task().id()));
        pass(Duration.ofSeconds(10));
        keeper.extendOnce();
        keeper.extendOnce();
        assertThat(execution.ended()).isEqualTo(End.LOST);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(harness.events())
                .containsExactly(new LeaseLost(TaskId.of(execution.task().id()), "a", "default", 1));
    }

    @Test
    @Tag("H5")
    @Tag("H7")
    void busyIsNotLostButFencedBeforeTheLeaseEnds() throws Exception {
        LeaseKeeper keeper = keeper();
        Execution execution = running(Duration.ZERO);
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(
                    "select 1 from konduit_task where id = " + execution.task().id() + " for update");
            pass(Duration.ofSeconds(26));
            assertThat(keeper.extendOnce()).isTrue();
            watchdog.checkOnce();
            assertThat(execution.ended()).isNull();
            pass(Duration.ofSeconds(1));
            keeper.extendOnce();
            watchdog.checkOnce();
            assertThat(execution.ended()).isEqualTo(End.SELF_FENCED);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    /** While the handler's own transaction has the row locked, nobody else can take it. */
    @Test
    @Tag("H7")
    void rowThatTheHandlerItselfHasLockedIsConfirmedByThat() throws Exception {
        LeaseKeeper keeper = keeper();
        Execution execution = running(Duration.ZERO);
        execution.ownTransactionHoldsRow(true);
        try (Connection own = harness.testDatabase().connect();
                Statement statement = own.createStatement()) {
            own.setAutoCommit(false);
            statement.execute(
                    "select 1 from konduit_task where id = " + execution.task().id() + " for update");
            for (int i = 0; i < 10; i++) {
                pass(Duration.ofSeconds(20));
                keeper.extendOnce();
                watchdog.checkOnce();
            }
            assertThat(execution.ended()).isNull();
        }
        execution.ownTransactionHoldsRow(false);
        assertThat(execution.needsExtension(nanos.get())).isTrue();
    }

    @Test
    @Tag("H7")
    void workerThatCannotExtendInterruptsBeforeTheLeaseEndsAndClaimsNothing() throws Exception {
        try (ControlPool pool = new ControlPool(harness.testDatabase().dataSource(), 1, Duration.ofMillis(250));
                LogCapture log = LogCapture.open()) {
            leases = new LeaseRepository(
                    new QueueDatabase(harness.testDatabase().dataSource(), pool, null), UUID.randomUUID());
            LeaseKeeper keeper = keeper();
            Execution execution = running(Duration.ZERO);
            try (Connection onlyOne = pool.dataSource().getConnection()) {
                assertThat(onlyOne.isValid(5)).isTrue();
                pass(Duration.ofSeconds(26));
                assertThat(keeper.extendOnce()).isFalse();
                assertThat(health.isFailing()).isTrue();
                watchdog.checkOnce();
                assertThat(execution.ended()).isNull();
                pass(Duration.ofSeconds(1));
                watchdog.checkOnce();
                assertThat(execution.ended()).isEqualTo(End.SELF_FENCED);
                assertThat(Thread.interrupted()).isTrue();
            }
            // it resumes by itself, and the row decides whether the result still counts
            assertThat(keeper.extendOnce()).isTrue();
            assertThat(health.isFailing()).isFalse();
            assertThat(secondsLeft(execution)).isPositive();
            assertThat(log.messages(Level.WARN)).hasSize(2);
        }
    }

    @Test
    @Tag("H6")
    void runOverItsLimitIsInterruptedAndNotExtendedAnyMore() {
        LeaseKeeper keeper = keeper();
        Execution execution = running(Duration.ofMinutes(1));
        for (int i = 0; i < 5; i++) {
            pass(Duration.ofSeconds(11));
            keeper.extendOnce();
            watchdog.checkOnce();
        }
        assertThat(execution.ended()).isNull();
        pass(Duration.ofSeconds(5));
        watchdog.checkOnce();
        assertThat(execution.ended()).isEqualTo(End.TIMED_OUT);
        assertThat(Thread.interrupted()).isTrue();
        harness.expireLease(execution.task().id(), Duration.ofSeconds(1));
        pass(Duration.ofSeconds(20));
        keeper.extendOnce();
        assertThat(secondsLeft(execution)).isNegative();
    }

    @Test
    @Tag("H6")
    void runWithoutLimitIsNeverEndedHoweverLongItTakesAndToldOnce() {
        LeaseKeeper keeper = keeper();
        Execution execution = running(Duration.ZERO);
        try (LogCapture log = LogCapture.open()) {
            for (int i = 0; i < 2_000; i++) {
                pass(Duration.ofSeconds(10));
                if (i % 50 == 0) {
                    keeper.extendOnce();
                } else {
                    execution.confirm(nanos.get());
                }
                watchdog.checkOnce();
            }
            assertThat(execution.ended()).isNull();
            assertThat(log.messages(Level.WARN))
                    .containsExactly(execution.task() + " has been running for more than 1h");
        }
    }

    @Test
    @Tag("H10")
    void afterAnOutageEveryLeaseIsExtendedAtOnce() {
        LeaseKeeper keeper = keeper();
        Execution execution = running(Duration.ZERO);
        harness.expireLease(execution.task().id(), Duration.ofSeconds(1));
        health.failed(new DataAccessResourceFailureException("away"));
        Execution other = running(Duration.ZERO);
        other.extendSoon();
        keeper.extendOnce();
        assertThat(health.isFailing()).isFalse();
        keeper.extendOnce();
        assertThat(secondsLeft(execution)).isPositive();
    }

    private static long secondsLeft(Execution execution) {
        return harness.jdbc()
                .sql(
                        "select extract(epoch from lock_timeout_at - clock_timestamp())::bigint from konduit_task where id = :id")
                .param("id", execution.task().id())
                .query(Long.class)
                .single();
    }
}
