package io.konduit.queue.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.store.ServerTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("H10")
class OutageGuardTests {
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);
    private static final Duration ROUND = Duration.ofSeconds(12);
    private static final Duration NONE = Duration.ZERO;

    /** Near the end of its range, so that it overflows in the middle of most tests, as it may on any machine. */
    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(3).toNanos();

    private Instant databaseClock = Instant.parse("2026-03-29T00:59:30Z");
    private Instant databaseStart = databaseClock.minus(Duration.ofDays(1));
    private final OutageGuard guard = new OutageGuard(HEARTBEAT, () -> nanos);

    @Test
    void letsTheReaperWorkWhileBothClocksAgree() {
        for (int i = 0; i < 100; i++) {
            observe();
            assertThat(guard.remaining()).isZero();
            assertThat(guard.takeAlarm()).isFalse();
            pass(Duration.ofSeconds(30));
        }
    }

    @Test
    void waitsOneRoundAfterTheClockJumpedForward() {
        observe();
        databaseClock = databaseClock.plus(Duration.ofHours(1));
        observe();
        assertThat(guard.remaining()).isEqualTo(ROUND);
        assertThat(guard.takeAlarm()).isTrue();
    }

    @Test
    void waitsOneRoundAfterTheClockJumpedBack() {
        observe();
        databaseClock = databaseClock.minus(Duration.ofMinutes(10));
        observe();
        assertThat(guard.remaining()).isEqualTo(ROUND);
        assertThat(guard.takeAlarm()).isTrue();
    }

    @Test
    void waitsOneRoundAfterTheServerWasRestarted() {
        observe();
        pass(Duration.ofSeconds(2));
        databaseStart = databaseClock.minusMillis(500);
        observe();
        assertThat(guard.remaining()).isEqualTo(ROUND);
        assertThat(guard.takeAlarm()).isTrue();
    }

    @Test
    void waitsOneRoundAfterTheDatabaseHadNotAnswered() {
        observe();
        pass(Duration.ofMinutes(15));
        guard.failed();
        assertThat(guard.remaining()).as("nobody can reclaim while it is away").isZero();
        observe();
        assertThat(guard.remaining()).isEqualTo(ROUND);
        assertThat(guard.takeAlarm()).isTrue();
    }

    @Test
    void waitsOneRoundWhenTheDatabaseWasAwayAtTheFirstTry() {
        guard.failed();
        observe();
        assertThat(guard.remaining()).isEqualTo(ROUND);
    }

    @Test
    void countsTheRoundDownAndThenLetsTheReaperWork() {
        jump();
        pass(Duration.ofSeconds(5));
        assertThat(guard.remaining()).isEqualTo(Duration.ofSeconds(7));
        pass(Duration.ofSeconds(7));
        assertThat(guard.remaining()).isZero();
        observe();
        assertThat(guard.remaining()).isZero();
    }

    @Test
    void oneEventCausesOneWait() {
        jump();
        pass(ROUND);
        for (int i = 0; i < 10; i++) {
            observe();
            assertThat(guard.remaining()).isZero();
            pass(HEARTBEAT);
        }
    }

    @Test
    void doesNotWaitOnItsFirstLookAtAServerThatHasBeenUpForLong() {
        observe();
        assertThat(guard.remaining()).isZero();
        assertThat(guard.takeAlarm()).isFalse();
    }

    @Test
    void waitsForTheRestOfTheRoundOnItsFirstLookAtAServerThatHasJustComeUp() {
        databaseStart = databaseClock.minusSeconds(4);
        observe();
        assertThat(guard.remaining()).isEqualTo(Duration.ofSeconds(8));
    }

    @ParameterizedTest
    @ValueSource(longs = {-999, -1, 1, 999})
    void toleratesDriftBelowASecond(long millis) {
        observe();
        databaseClock = databaseClock.plusMillis(millis);
        pass(HEARTBEAT);
        observe();
        assertThat(guard.remaining()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1_001, 1_001})
    void noticesAJumpOfMoreThanASecond(long millis) {
        observe();
        databaseClock = databaseClock.plusMillis(millis);
        pass(HEARTBEAT);
        observe();
        assertThat(guard.remaining()).isEqualTo(ROUND);
    }

    @Test
    void anAnswerThatTookLongIsNoJumpWhicheverWayItWasSlow() {
        observe(Duration.ofSeconds(20), NONE);
        assertThat(guard.remaining()).isZero();
        observe(NONE, Duration.ofSeconds(20));
        assertThat(guard.remaining()).isZero();
        observe(NONE, NONE);
        assertThat(guard.remaining())
                .as("the answer before was given 20 s before it came")
                .isZero();
        observe(Duration.ofSeconds(20), Duration.ofSeconds(20));
        observe();
        assertThat(guard.remaining()).isZero();
        assertThat(guard.takeAlarm()).isFalse();
    }

    @Test
    void aPauseOfThisNodeIsNoJump() {
        observe();
        pass(Duration.ofHours(3));
        observe();
        assertThat(guard.remaining()).isZero();
    }

    @Test
    void theAlarmReachesTheWorkerAlsoWhenTheReaperSawItFirst() {
        observe();
        databaseClock = databaseClock.plus(Duration.ofHours(1));
        observe(); // the reaper's pass
        pass(Duration.ofSeconds(3));
        observe(); // the worker's heartbeat
        assertThat(guard.takeAlarm()).isTrue();
        assertThat(guard.takeAlarm()).as("told once").isFalse();
    }

    @Test
    void aDatabaseThatKeepsFailingDelaysRecoveryAndNeverStopsIt() {
        observe();
        Duration waited = NONE;
        while (true) {
            guard.failed();
            observe();
            if (guard.remaining().isZero()) {
                break;
            }
            pass(Duration.ofSeconds(1));
            waited = waited.plusSeconds(1);
            assertThat(waited).as("the cap").isLessThanOrEqualTo(ROUND.multipliedBy(5));
        }
        assertThat(waited).isEqualTo(ROUND.multipliedBy(5));
    }

    @Test
    void neverAsksForALongerWaitThanTheCapLeaves() {
        observe();
        for (int second = 0; second < 57; second++) {
            guard.failed();
            observe();
            guard.remaining();
            pass(Duration.ofSeconds(1));
        }
        guard.failed();
        observe();
        assertThat(guard.remaining()).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aWaitThatNobodySawToItsEndDoesNotShortenTheNextOne() {
        jump();
        assertThat(guard.remaining()).isEqualTo(ROUND);
        // another instance leads from here on: this one only beats
        for (int i = 0; i < 100; i++) {
            pass(HEARTBEAT);
            observe();
        }
        jump();
        assertThat(guard.remaining()).isEqualTo(ROUND);
    }

    @Test
    void aNewEventAfterTheCapIsWaitedForAgain() {
        observe();
        for (int i = 0; i < 200; i++) {
            guard.failed();
            observe();
            guard.remaining();
            pass(Duration.ofSeconds(1));
        }
        observe();
        pass(ROUND);
        assertThat(guard.remaining()).isZero();
        jump();
        assertThat(guard.remaining()).isEqualTo(ROUND);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "400, 1400, 6000",
        "1000, 2000, 6000",
        "5000, 6000, 6000",
        "10000, 12000, 12000",
        "60000, 72000, 72000"
    })
    void aRoundIsLongEnoughForAWorkerThatHasToConnectAgain(long heartbeat, long afterJump, long afterOutage) {
        OutageGuard jumped = new OutageGuard(Duration.ofMillis(heartbeat), () -> nanos);
        jumped.observed(new ServerTime(databaseClock, databaseStart), nanos);
        jumped.observed(new ServerTime(databaseClock.plusSeconds(60), databaseStart), nanos);
        assertThat(jumped.remaining()).isEqualTo(Duration.ofMillis(afterJump));
        OutageGuard away = new OutageGuard(Duration.ofMillis(heartbeat), () -> nanos);
        away.failed();
        away.observed(new ServerTime(databaseClock, databaseStart), nanos);
        assertThat(away.remaining()).isEqualTo(Duration.ofMillis(afterOutage));
    }

    @Test
    void aNodeThatBeatsAndDidNotLookForLongDoesNotKnowWhatHappenedMeanwhile() {
        OutageGuard beating = new OutageGuard(HEARTBEAT, true, () -> nanos);
        beating.observed(new ServerTime(databaseClock, databaseStart), nanos);
        pass(Duration.ofSeconds(24));
        beating.observed(new ServerTime(databaseClock, databaseStart), nanos);
        assertThat(beating.remaining()).as("a missed beat is no reason").isZero();
        pass(Duration.ofSeconds(24).plusNanos(1));
        beating.observed(new ServerTime(databaseClock, databaseStart), nanos);
        assertThat(beating.remaining()).isEqualTo(ROUND);
        assertThat(beating.takeAlarm()).isTrue();
    }

    @Test
    @Tag("X27")
    void aNewTimelineMeansThatExtensionsMayBeLost() {
        List<ServerTime> witnessed = new ArrayList<>();
        OutageGuard watched = new OutageGuard(HEARTBEAT, false, () -> nanos, witnessed::add);
        ServerTime before = new ServerTime(databaseClock, databaseStart, 1, 7L);
        ServerTime after = new ServerTime(databaseClock, databaseStart, 2, 7L);
        watched.observed(before, nanos);
        assertThat(watched.remaining()).isZero();
        watched.observed(after, nanos);
        assertThat(watched.remaining()).isEqualTo(ROUND);
        assertThat(watched.takeAlarm()).isTrue();
        assertThat(witnessed).containsExactly(before, after);
    }

    /** Whoever looks for a task by this time looks too early rather than too late. */
    @Test
    @Tag("L20")
    void knowsTheTimeOfTheDatabaseAndIsNeverBehindIt() {
        assertThat(guard.databaseTime()).isNull();
        Duration roundTrip = Duration.ofSeconds(5);
        observe(Duration.ofSeconds(2), Duration.ofSeconds(3));
        pass(Duration.ofSeconds(20));
        assertThat(guard.databaseTime()).isBetween(databaseClock, databaseClock.plus(roundTrip));
        jump();
        assertThat(guard.databaseTime()).isEqualTo(databaseClock);
    }

    private void jump() {
        observe();
        databaseClock = databaseClock.plus(Duration.ofHours(1));
        observe();
    }

    /** A question that is answered at once. */
    private void observe() {
        observe(NONE, NONE);
    }

    /** A question that takes that long to get to the database, and its answer that long to come back. */
    private void observe(Duration there, Duration back) {
        long sent = nanos;
        pass(there);
        ServerTime serverTime = new ServerTime(databaseClock, databaseStart);
        pass(back);
        guard.observed(serverTime, sent);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
        databaseClock = databaseClock.plus(time);
    }
}
