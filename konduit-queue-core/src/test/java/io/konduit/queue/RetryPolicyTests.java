package io.konduit.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.settings.RetrySettings;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTests {
    private static RetryPolicy policy(double jitter, double random) {
        return new ExponentialRetryPolicy(3, Duration.ofSeconds(1), 2.0, Duration.ofMinutes(5), jitter, () -> random);
    }

    @Test
    void doublesUpToTheCap() {
        assertThat(IntStream.rangeClosed(1, 11)
                        .mapToObj(attempt -> policy(0, 0).backoff(attempt).toSeconds()))
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 300L, 300L);
        assertThat(policy(0, 0).backoff(Integer.MAX_VALUE)).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void jitterSpreadsEitherWayAndNeverOverTheCap() {
        assertThat(policy(0.2, 0).backoff(3)).isEqualTo(Duration.ofMillis(3_200));
        assertThat(policy(0.2, 1).backoff(3)).isEqualTo(Duration.ofMillis(4_800));
        assertThat(policy(0.2, 1).backoff(20)).isEqualTo(Duration.ofMinutes(5));
        assertThat(policy(1, 0).backoff(3)).isZero();
    }

    @Test
    void defaultsAreThreeAttemptsFromASecond() {
        RetryPolicy defaults = RetrySettings.defaults().policy();
        assertThat(defaults.maxAttempts()).isEqualTo(3);
        assertThat(defaults.backoff(1)).isBetween(Duration.ofMillis(800), Duration.ofMillis(1_200));
        assertThat(defaults.retries(new IllegalStateException())).isTrue();
        assertThat(defaults.retries(new DoNotRetryException("no") {
                    private static final long serialVersionUID = 1L;
                }))
                .isFalse();
    }

    @Test
    void impossibleValuesAreRefused() {
        assertRefused(0, Duration.ZERO, 1, Duration.ZERO, 0, "maxAttempts must be at least 1 but is 0.");
        assertRefused(1, Duration.ofSeconds(-1), 1, Duration.ZERO, 0, "initial must not be negative but is PT-1S.");
        assertRefused(1, Duration.ZERO, 0.5, Duration.ZERO, 0, "multiplier must be at least 1 but is 0.5.");
        assertRefused(
                1, Duration.ofSeconds(2), 1, Duration.ofSeconds(1), 0, "cap (PT1S) must be at least initial (PT2S).");
        assertRefused(1, Duration.ZERO, 1, Duration.ZERO, 1.1, "jitter must be between 0 and 1 but is 1.1.");
    }

    private static void assertRefused(
            int attempts, Duration initial, double multiplier, Duration cap, double jitter, String message) {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> RetryPolicy.exponential(attempts, initial, multiplier, cap, jitter))
                .withMessage("Retry policy: " + message);
    }
}
