package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("L18")
@Timeout(30)
class IsolationGateTests {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Duration NONE = Duration.ZERO;

    private final IsolationGate gate = new IsolationGate();

    @Test
    void ordinaryTasksAreInTogether() throws Exception {
        assertThat(gate.enter(NONE)).isTrue();
        assertThat(gate.enter(NONE)).isTrue();
        assertThat(gate.isClosing()).isFalse();
    }

    @Test
    void suspectWaitsUntilTheOthersHaveLeft() throws Exception {
        gate.enter(NONE);
        assertThat(gate.enterAlone(Duration.ofMillis(1))).isFalse();
        CompletableFuture<Boolean> suspect = inOtherThread(() -> gate.enterAlone(LONG));
        await().until(gate::isClosing);
        assertThat(suspect).isNotDone();
        gate.leave();
        assertThat(suspect.get()).isTrue();
    }

    @Test
    void nobodyEntersWhileASuspectIsInOrWaits() throws Exception {
        gate.enter(NONE);
        CompletableFuture<Boolean> suspect = inOtherThread(() -> gate.enterAlone(LONG));
        await().until(gate::isClosing);
        assertThat(gate.enter(Duration.ofMillis(1))).isFalse();
        gate.leave();
        assertThat(suspect.get()).isTrue();
        assertThat(gate.enter(Duration.ofMillis(1))).isFalse();
        assertThat(gate.enterAlone(Duration.ofMillis(1))).isFalse();
        gate.leaveAlone();
        assertThat(gate.isClosing()).isFalse();
        assertThat(gate.enter(NONE)).isTrue();
    }

    @Test
    void suspectThatGivesUpLetsTheOthersIn() throws Exception {
        gate.enter(NONE);
        assertThat(gate.enterAlone(Duration.ofMillis(1))).isFalse();
        assertThat(gate.isClosing()).isFalse();
        assertThat(gate.enter(NONE)).isTrue();
    }

    @Test
    void suspectsGoOneAfterAnother() throws Exception {
        assertThat(gate.enterAlone(NONE)).isTrue();
        CompletableFuture<Boolean> second = inOtherThread(() -> gate.enterAlone(LONG));
        CompletableFuture<Boolean> ordinary = inOtherThread(() -> gate.enter(LONG));
        gate.leaveAlone();
        assertThat(second.get()).isTrue();
        assertThat(ordinary).isNotDone();
        gate.leaveAlone();
        assertThat(ordinary.get()).isTrue();
    }

    private static <T> CompletableFuture<T> inOtherThread(Callable<T> work) {
        CompletableFuture<T> future = new CompletableFuture<>();
        WorkerThreads.start("gate-test", () -> {
            try {
                future.complete(work.call());
            } catch (Exception e) {
                future.completeExceptionally(e);
            }
        });
        return future;
    }
}
