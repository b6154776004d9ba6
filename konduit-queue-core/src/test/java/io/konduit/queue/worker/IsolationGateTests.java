package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("L18")
@Timeout(30)
class IsolationGateTests {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration NONE = Duration.ZERO;

    private long nanos = Duration.ofHours(1).toNanos();
    private final IsolationGate gate = new IsolationGate(() -> nanos);

    @Test
    void ordinaryTasksAreInTogether() {
        assertThat(gate.enter()).isTrue();
        assertThat(gate.enter()).isTrue();
        assertThat(gate.isClosing()).isFalse();
    }

    @Test
    void suspectWaitsUntilTheOthersHaveLeft() throws Exception {
        gate.enter();
        assertThat(gate.close()).isTrue();
        assertThat(gate.awaitAlone(NONE, () -> true)).isFalse();
        CompletableFuture<Boolean> suspect = inOtherThread(() -> gate.awaitAlone(LONG, () -> true));
        assertThat(suspect).isNotDone();
        gate.leave();
        assertThat(suspect.get()).isTrue();
    }

    @Test
    void suspectWaitsUntilItsWorkerHasNothingElse() throws Exception {
        AtomicBoolean others = new AtomicBoolean(true);
        assertThat(gate.close()).isTrue();
        CompletableFuture<Boolean> suspect = inOtherThread(() -> gate.awaitAlone(LONG, () -> !others.get()));
        assertThat(suspect).isNotDone();
        others.set(false);
        assertThat(suspect.get()).isTrue();
    }

    @Test
    void nobodyEntersNorWaitsWhileASuspectIsInOrWantsIn() throws Exception {
        gate.enter();
        assertThat(gate.close()).isTrue();
        assertThat(gate.isClosing()).isTrue();
        assertThat(gate.enter()).isFalse();
        assertThat(gate.close()).as("another suspect").isFalse();
        gate.leave();
        assertThat(gate.awaitAlone(NONE, () -> true)).isTrue();
        assertThat(gate.enter()).isFalse();
        assertThat(gate.close()).isFalse();
        gate.open();
        assertThat(gate.isClosing()).isFalse();
        assertThat(gate.enter()).isTrue();
    }

    @Test
    void ordinaryWorkHasTheGateForAsLongAsASuspectHadIt() throws Exception {
        assertThat(gate.close()).isTrue();
        assertThat(gate.awaitAlone(NONE, () -> true)).isTrue();
        pass(Duration.ofSeconds(10));
        gate.open();
        pass(Duration.ofSeconds(10).minusNanos(1));
        assertThat(gate.close()).as("the next suspect").isFalse();
        assertThat(gate.enter()).isTrue();
        gate.leave();
        pass(Duration.ofNanos(1));
        assertThat(gate.close()).isTrue();
    }

    @Test
    void gateRestsLongerEachTimeASuspectClosedItInVain() {
        for (int seconds : new int[] {2, 4, 8, 16, 32, 60, 60}) {
            assertThat(gate.close()).isTrue();
            pass(Duration.ofSeconds(2));
            gate.open();
            pass(Duration.ofSeconds(seconds).minusNanos(1));
            assertThat(gate.close()).isFalse();
            pass(Duration.ofNanos(1));
        }
    }

    @Test
    void patienceGrowsWithTheTimeForWhichSuspectsWereTurnedAway() {
        assertThat(gate.patience()).isEqualTo(Duration.ofSeconds(2));
        for (int seconds : new int[] {2, 6, 12, 18, 24, 30, 30}) {
            assertThat(gate.patience()).isEqualTo(Duration.ofSeconds(seconds));
            gate.turnAway();
            pass(Duration.ofSeconds(30));
        }
    }

    @Test
    void patienceStartsAnewWhenASuspectHasRunOrWasTakenElsewhere() throws Exception {
        gate.turnAway();
        pass(Duration.ofMinutes(2));
        assertThat(gate.patience()).isEqualTo(Duration.ofSeconds(24));
        gate.close();
        assertThat(gate.awaitAlone(NONE, () -> true)).isTrue();
        gate.open();
        assertThat(gate.patience()).isEqualTo(Duration.ofSeconds(2));

        gate.turnAway();
        pass(Duration.ofMinutes(3).plusNanos(1));
        assertThat(gate.patience()).isEqualTo(Duration.ofSeconds(2));
        gate.turnAway();
        pass(Duration.ofMinutes(1));
        assertThat(gate.patience()).isEqualTo(Duration.ofSeconds(12));
    }

    @Test
    void saysOnceThatNoSuspectHasGotToRun() throws Exception {
        for (int minute = 0; minute < 10; minute++) {
            assertThat(gate.turnAway()).as("after %s minutes", minute).isFalse();
            pass(Duration.ofMinutes(1));
        }
        assertThat(gate.turnAway()).isTrue();
        pass(Duration.ofMinutes(1));
        assertThat(gate.turnAway()).isFalse();
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    private static <T> CompletableFuture<T> inOtherThread(Callable<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        QueueThreads.start("gate-test", () -> {
            try {
                future.complete(work.call());
            } catch (Exception e) {
                future.completeExceptionally(e);
            }
        });
        return future;
    }
}
