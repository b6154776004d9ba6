package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.thread.Jitter;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WakeUpPauseTests {
    private final WakeUpPause pause = new WakeUpPause(Jitter.random());

    @Test
    void restsLongerTheMoreOftenItComesTooLate() {
        assertThat(pause.inVain()).isZero();
        for (int expected : new int[] {10, 20, 40, 80, 160, 320, 640, 1_000, 1_000}) {
            assertThat(Duration.ofNanos(pause.inVain()))
                    .isBetween(Duration.ofMillis(expected * 3L / 4), Duration.ofMillis(expected));
        }
    }

    /** It hears its own notifications: each of its tasks is followed by a wake-up in vain. */
    @Test
    void workerThatIsAloneNeverRests() {
        for (int i = 0; i < 20; i++) {
            pause.inVain();
        }
        for (int i = 0; i < 10; i++) {
            pause.brought();
            assertThat(pause.inVain()).isZero();
        }
        assertThat(Duration.ofNanos(pause.inVain())).isLessThanOrEqualTo(Duration.ofMillis(10));
    }

    @Test
    void workerThatGetsATaskNowAndThenStillLeavesMostWakeUpsToOthers() {
        IntStream.range(0, 10).forEach(i -> pause.inVain());
        pause.brought();
        pause.inVain();
        assertThat(Duration.ofNanos(pause.inVain())).isGreaterThan(Duration.ofMillis(300));
    }
}
