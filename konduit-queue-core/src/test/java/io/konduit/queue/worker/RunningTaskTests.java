package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.worker.RunningTask.End;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Local time is a parameter, so an hour takes no time here. */
class RunningTaskTests {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final RunningTask execution =
            new RunningTask(Tasks.claimed(1, Duration.ofSeconds(30)), Duration.ofSeconds(5), 0);

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @Test
    @Tag("H7")
    void isFencedUntilItsOutcomeIsUnderWay() {
        assertThat(execution.mustFence(27 * SECOND - 1)).isFalse();
        assertThat(execution.mustFence(27 * SECOND)).isTrue();
        execution.outcomeUnderWay();
        assertThat(execution.mustFence(27 * SECOND)).as("the row decides").isFalse();
    }

    @Test
    @Tag("H6")
    void isOverTimeOnlyWhileItRunsAndHasALimit() {
        assertThat(execution.isOverTime(100 * SECOND)).isFalse();
        execution.begin(2 * SECOND);
        assertThat(execution.isOverTime(7 * SECOND - 1)).isFalse();
        assertThat(execution.isOverTime(7 * SECOND)).isTrue();
        execution.finish(8 * SECOND);
        assertThat(execution.isOverTime(100 * SECOND)).isFalse();
        assertThat(execution.took()).isEqualTo(Duration.ofSeconds(6));

        RunningTask unlimited = new RunningTask(Tasks.claimed(1), Duration.ZERO, 0);
        unlimited.begin(0);
        assertThat(unlimited.isOverTime(Duration.ofDays(99).toNanos())).isFalse();
    }

    @Test
    @Tag("H6")
    void runOverItsLimitIsNotExtendedAnyMoreButAFencedOneIs() {
        execution.begin(0);
        execution.end(End.TIMED_OUT);
        assertThat(execution.needsExtension(20 * SECOND)).isFalse();
        RunningTask fenced = new RunningTask(Tasks.claimed(1), Duration.ZERO, 0);
        fenced.end(End.SELF_FENCED);
        assertThat(fenced.needsExtension(20 * SECOND)).isTrue();
    }

    @Test
    void interruptsOnlyWhileTheHandlerRuns() {
        assertThat(execution.begin(0)).isTrue();
        assertThat(execution.end(End.LOST)).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        execution.finish(1);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        execution.end(End.GIVEN_BACK);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void hangsWhileItsHandlerGoesOnAfterTheEnd() {
        assertThat(execution.stack()).isEmpty();
        assertThat(execution.isRunning()).isFalse();
        execution.begin(0);
        assertThat(execution.isStarted()).isTrue();
        assertThat(execution.isRunning()).isTrue();
        assertThat(execution.hangs()).as("nobody has told it to end").isFalse();
        assertThat(execution.stack()).isNotEmpty();
        execution.end(End.TIMED_OUT);
        assertThat(execution.hangs()).isTrue();
        execution.finish(1);
        assertThat(execution.hangs()).isFalse();
        assertThat(execution.isRunning()).isFalse();
        assertThat(execution.stack()).isEmpty();
    }

    @Test
    void lossIsToldOnce() {
        assertThat(execution.tellLoss()).isTrue();
        assertThat(execution.tellLoss()).isFalse();
    }

    @Test
    void doesNotBeginWhenItHasEnded() {
        execution.end(End.SELF_FENCED);
        assertThat(execution.begin(0)).isFalse();
        assertThat(execution.isStarted()).isFalse();
    }

    @Test
    void firstReasonStaysUnlessALaterOneDropsTheResult() {
        assertThat(execution.end(End.TIMED_OUT)).isTrue();
        assertThat(execution.end(End.SELF_FENCED)).isFalse();
        assertThat(execution.ended()).isEqualTo(End.TIMED_OUT);
        assertThat(execution.dropsResult()).isFalse();
        assertThat(execution.end(End.LOST)).isTrue();
        assertThat(execution.dropsResult()).isTrue();
        assertThat(execution.end(End.GIVEN_BACK)).isFalse();
        assertThat(execution.ended()).isEqualTo(End.LOST);
    }

    @Test
    @Tag("H6")
    void tellsOnceThatItTakesLong() {
        long limit = 60 * SECOND;
        assertThat(execution.becomesLong(100 * SECOND, limit)).isFalse();
        execution.begin(-5 * SECOND);
        assertThat(execution.becomesLong(limit - 5 * SECOND - 1, limit)).isFalse();
        assertThat(execution.becomesLong(limit - 5 * SECOND, limit)).isTrue();
        assertThat(execution.becomesLong(2 * limit, limit)).isFalse();
        RunningTask other = new RunningTask(Tasks.claimed(2), Duration.ZERO, 0);
        other.begin(0);
        assertThat(other.becomesLong(Long.MAX_VALUE, 0)).isFalse();
    }

    @Test
    @Tag("F1")
    void claimingATaskAgainDropsTheOlderRun() {
        ActiveLeases active = new ActiveLeases();
        RunningTask older = new RunningTask(Tasks.claimed(7), Duration.ZERO, 0);
        RunningTask newer = new RunningTask(Tasks.claimed(7), Duration.ZERO, 1);
        active.add(older);
        active.add(newer);
        assertThat(older.ended()).isEqualTo(End.SUPERSEDED);
        assertThat(older.dropsResult()).isTrue();
        assertThat(newer.ended()).isNull();
        active.remove(older);
        assertThat(active.all()).containsExactly(newer);
    }
}
