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

    private final RunningTask run = new RunningTask(Tasks.claimed(1, Duration.ofSeconds(30)), Duration.ofSeconds(5), 0);

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @Test
    @Tag("H7")
    void isFencedUntilItsOutcomeIsUnderWay() {
        assertThat(run.mustFence(27 * SECOND - 1)).isFalse();
        assertThat(run.mustFence(27 * SECOND)).isTrue();
        run.outcomeUnderWay();
        assertThat(run.mustFence(27 * SECOND)).as("the row decides").isFalse();
    }

    @Test
    @Tag("H6")
    void isOverTimeOnlyWhileItRunsAndHasALimit() {
        assertThat(run.isOverTime(100 * SECOND)).isFalse();
        run.begin(2 * SECOND);
        assertThat(run.isOverTime(7 * SECOND - 1)).isFalse();
        assertThat(run.isOverTime(7 * SECOND)).isTrue();
        run.finish(8 * SECOND);
        assertThat(run.isOverTime(100 * SECOND)).isFalse();
        assertThat(run.took()).isEqualTo(Duration.ofSeconds(6));

        RunningTask unlimited = new RunningTask(Tasks.claimed(1), Duration.ZERO, 0);
        unlimited.begin(0);
        assertThat(unlimited.isOverTime(Duration.ofDays(99).toNanos())).isFalse();
    }

    @Test
    @Tag("H6")
    void runOverItsLimitIsNotExtendedAnyMoreButAFencedOneIs() {
        run.begin(0);
        run.end(End.TIMED_OUT);
        assertThat(run.needsExtension(20 * SECOND)).isFalse();
        RunningTask fenced = new RunningTask(Tasks.claimed(1), Duration.ZERO, 0);
        fenced.end(End.SELF_FENCED);
        assertThat(fenced.needsExtension(20 * SECOND)).isTrue();
    }

    @Test
    void interruptsOnlyWhileTheHandlerRuns() {
        assertThat(run.begin(0)).isTrue();
        assertThat(run.end(End.LOST)).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        run.finish(1);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        run.end(End.GIVEN_BACK);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void hangsWhileItsHandlerGoesOnAfterTheEnd() {
        assertThat(run.stack()).isEmpty();
        assertThat(run.isRunning()).isFalse();
        run.begin(0);
        assertThat(run.isStarted()).isTrue();
        assertThat(run.isRunning()).isTrue();
        assertThat(run.hangs()).as("nobody has told it to end").isFalse();
        assertThat(run.stack()).isNotEmpty();
        run.end(End.TIMED_OUT);
        assertThat(run.hangs()).isTrue();
        run.finish(1);
        assertThat(run.hangs()).isFalse();
        assertThat(run.isRunning()).isFalse();
        assertThat(run.stack()).isEmpty();
    }

    @Test
    void lossIsToldOnce() {
        assertThat(run.tellLoss()).isTrue();
        assertThat(run.tellLoss()).isFalse();
    }

    @Test
    void doesNotBeginWhenItHasEnded() {
        run.end(End.SELF_FENCED);
        assertThat(run.begin(0)).isFalse();
        assertThat(run.isStarted()).isFalse();
    }

    @Test
    void firstReasonStaysUnlessALaterOneDropsTheResult() {
        assertThat(run.end(End.TIMED_OUT)).isTrue();
        assertThat(run.end(End.SELF_FENCED)).isFalse();
        assertThat(run.ended()).isEqualTo(End.TIMED_OUT);
        assertThat(run.dropsResult()).isFalse();
        assertThat(run.end(End.LOST)).isTrue();
        assertThat(run.dropsResult()).isTrue();
        assertThat(run.end(End.GIVEN_BACK)).isFalse();
        assertThat(run.ended()).isEqualTo(End.LOST);
    }

    @Test
    @Tag("H6")
    void tellsOnceThatItTakesLong() {
        long limit = 60 * SECOND;
        assertThat(run.becomesLong(100 * SECOND, limit)).isFalse();
        run.begin(-5 * SECOND);
        assertThat(run.becomesLong(limit - 5 * SECOND - 1, limit)).isFalse();
        assertThat(run.becomesLong(limit - 5 * SECOND, limit)).isTrue();
        assertThat(run.becomesLong(2 * limit, limit)).isFalse();
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
