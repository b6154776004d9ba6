package io.konduit.queue.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogThrottleTests {
    private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 5);
    private final LogThrottle throttle = new LogThrottle(nanoTime::get);

    @Test
    void theSameIsSaidOnceAMinute() {
        assertThat(throttle.isDue("away")).isTrue();
        assertThat(throttle.isDue("away")).isFalse();
        pass(Duration.ofSeconds(59));
        assertThat(throttle.isDue("away")).isFalse();
        pass(Duration.ofSeconds(1));
        assertThat(throttle.isDue("away")).isTrue();
        assertThat(throttle.isDue("away")).isFalse();
    }

    @Test
    void somethingElseIsSaidAllTheSame() {
        assertThat(throttle.isDue("away")).isTrue();
        assertThat(throttle.isDue("slow")).isTrue();
    }

    private void pass(Duration time) {
        nanoTime.addAndGet(time.toNanos());
    }
}
