package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Lease;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Handlers run on the test's own thread: an interrupt of theirs is a flag on it. */
class LeaseWatchdogTests {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Duration NO_LIMIT = Duration.ZERO;

    /** Overflows within the tests, as it may on any machine. */
    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();

    private final ActiveLeases active = new ActiveLeases();
    private final AtomicInteger longRuns = new AtomicInteger();
    private final WorkerEvents events = new WorkerEvents(
            new QueueMonitor() {
                @Override
                public void ranLong(ClaimedTask task) {
                    longRuns.incrementAndGet();
                }
            },
            new QueueEvents(event -> {}));
    private final LeaseWatchdog watchdog = new LeaseWatchdog(active, events, Duration.ofHours(1), () -> nanos);

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    @Tag("H7")
    void interruptsAHandlerBeforeItsLeaseEndsWhenNobodyConfirmedIt() {
        RunningTask run = running(LEASE, NO_LIMIT);
        pass(LEASE.multipliedBy(9).dividedBy(10).minusNanos(1));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).as("a tenth of the lease is left").isFalse();
        pass(Duration.ofNanos(1));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(run.ended()).isEqualTo(RunningTask.End.SELF_FENCED);
        assertThat(run.dropsResult())
                .as("the row decides whether the result counts")
                .isFalse();
    }

    @Test
    @Tag("H7")
    void leavesAtLeast200MillisecondsOfAShortLease() {
        running(Duration.ofSeconds(1), NO_LIMIT);
        pass(Duration.ofMillis(799));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isFalse();
        pass(Duration.ofMillis(1));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @Tag("H7")
    void countsFromBeforeTheConfirmingStatementWasSent() {
        RunningTask run = running(LEASE, NO_LIMIT);
        pass(Duration.ofMinutes(4));
        long sent = nanos;
        pass(Duration.ofSeconds(20)); // the answer took long
        run.confirm(sent);
        pass(Duration.ofMinutes(4).plusSeconds(9));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isFalse();
        pass(Duration.ofSeconds(1));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @Tag("H7")
    void interruptsOnceAndNotAgain() {
        running(LEASE, NO_LIMIT);
        pass(LEASE);
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isTrue();
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @Tag("H7")
    void aTaskThatWaitsForASlotDoesNotStartOnALeaseThatIsAboutToEnd() {
        RunningTask waiting = claimed(LEASE, NO_LIMIT);
        pass(LEASE);
        watchdog.checkOnce();
        assertThat(waiting.begin(nanos)).isFalse();
    }

    @Test
    @Tag("H7")
    void noInterruptReachesTheThreadAfterTheHandlerHasEnded() {
        RunningTask run = running(LEASE, NO_LIMIT);
        pass(LEASE);
        watchdog.checkOnce();
        run.finish(nanos);
        assertThat(Thread.interrupted()).as("cleared for the next task").isFalse();
        run.end(RunningTask.End.LOST);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @Tag("H6")
    void interruptsAHandlerThatIsOverItsLimitAndExtendsItNoMore() {
        RunningTask run = running(LEASE, Duration.ofSeconds(30));
        pass(Duration.ofSeconds(30).minusNanos(1));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isFalse();
        pass(Duration.ofNanos(1));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(run.ended()).isEqualTo(RunningTask.End.TIMED_OUT);
        pass(Duration.ofMinutes(2));
        run.extendSoon();
        assertThat(run.needsExtension(nanos)).isFalse();
        assertThat(run.nanosToExtension(nanos))
                .as("nor does the keeper wake up for it")
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    @Tag("H6")
    void theLimitCountsFromTheStartOfTheRun() {
        RunningTask run = claimed(LEASE, Duration.ofSeconds(30));
        pass(Duration.ofSeconds(25)); // waited for a slot
        watchdog.checkOnce();
        assertThat(run.begin(nanos)).isTrue();
        pass(Duration.ofSeconds(29));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isFalse();
        pass(Duration.ofSeconds(1));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    @Tag("H6")
    void withoutALimitARunGoesOnForAsLongAsItsLeaseIsConfirmed() {
        RunningTask run = running(LEASE, NO_LIMIT);
        for (int hour = 0; hour < 100; hour++) {
            pass(Duration.ofHours(1));
            run.confirm(nanos);
            watchdog.checkOnce();
        }
        assertThat(Thread.interrupted()).isFalse();
        assertThat(run.ended()).isNull();
    }

    @Test
    @Tag("H6")
    void theLimitAlsoHoldsForAHandlerThatIgnoredTheInterruptOfAnOutage() {
        RunningTask run = running(LEASE, Duration.ofMinutes(30));
        pass(LEASE);
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(run.needsExtension(nanos))
                .as("the database is back and the row is still ours")
                .isTrue();
        run.confirm(nanos);
        pass(Duration.ofMinutes(25));
        watchdog.checkOnce();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(run.ended()).isEqualTo(RunningTask.End.TIMED_OUT);
        assertThat(run.needsExtension(nanos)).isFalse();
    }

    @Test
    @Tag("H6")
    void tellsOnceOfARunThatTakesVeryLong() {
        RunningTask run = running(LEASE, NO_LIMIT);
        try (CapturedLog log = CapturedLog.ofPackageOf(LeaseWatchdog.class)) {
            pass(Duration.ofMinutes(59));
            run.confirm(nanos);
            watchdog.checkOnce();
            assertThat(log.at(Level.WARN)).isEmpty();
            for (int i = 0; i < 5; i++) {
                pass(Duration.ofMinutes(1));
                run.confirm(nanos);
                watchdog.checkOnce();
            }
            assertThat(log.at(Level.WARN))
                    .containsExactly("task 7 (report, attempt 1) has been running for more than 1h");
        }
        assertThat(longRuns).hasValue(1);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    @Tag("H5")
    void onlyAReasonThatDropsTheResultOverrulesAnotherReason() {
        RunningTask run = running(LEASE, NO_LIMIT);
        assertThat(run.end(RunningTask.End.SELF_FENCED)).isTrue();
        assertThat(run.end(RunningTask.End.SELF_FENCED)).isFalse();
        assertThat(run.end(RunningTask.End.TIMED_OUT)).isTrue();
        assertThat(run.end(RunningTask.End.SELF_FENCED)).isFalse();
        assertThat(run.end(RunningTask.End.LOST)).isTrue();
        assertThat(run.end(RunningTask.End.TIMED_OUT)).isFalse();
        assertThat(run.end(RunningTask.End.GIVEN_BACK)).isFalse();
        assertThat(run.ended()).isEqualTo(RunningTask.End.LOST);
        assertThat(run.dropsResult()).isTrue();
    }

    private RunningTask running(Duration lockTimeout, Duration limit) {
        RunningTask run = claimed(lockTimeout, limit);
        assertThat(run.begin(nanos)).isTrue();
        return run;
    }

    private RunningTask claimed(Duration lockTimeout, Duration limit) {
        OffsetDateTime due = OffsetDateTime.parse("2026-01-01T00:00:00Z");
        ClaimedTask task = new ClaimedTask(
                new Lease(7, 1, 0),
                "default",
                "report",
                "null",
                2,
                due,
                1,
                3,
                true,
                lockTimeout,
                null,
                null,
                null,
                due,
                Duration.ZERO);
        RunningTask run = new RunningTask(task, limit, nanos);
        active.add(run);
        return run;
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
