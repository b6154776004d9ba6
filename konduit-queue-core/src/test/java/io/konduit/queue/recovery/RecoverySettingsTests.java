package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.retention.RowPruner;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.store.RetentionRepository.Kind;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** S5: settings that cannot work are refused with their names, their values and the rule. */
@Tag("S5")
class RecoverySettingsTests {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration BEFORE = Duration.ofSeconds(-1);

    @Test
    void defaultsAreThoseOfTheProperties() {
        assertThat(ReclaimPolicy.defaults())
                .isEqualTo(new ReclaimPolicy(Duration.ZERO, 500, 2, 5, Duration.ofSeconds(5), Duration.ofMinutes(5)));
        assertThat(RetentionSettings.defaults())
                .isEqualTo(new RetentionSettings(
                        Duration.ofDays(7),
                        Duration.ofDays(30),
                        Duration.ofDays(90),
                        Duration.ofDays(1),
                        Duration.ofDays(30),
                        Duration.ofMinutes(10),
                        5_000));
    }

    @Test
    void graceMustNotBeNegative() {
        assertRefused(
                () -> new ReclaimPolicy(BEFORE, 500, 2, 5, SECOND, SECOND),
                "'konduit.queue.reaper-grace' (-1s) must not be negative.");
    }

    @Test
    void batchMustHaveARow() {
        assertRefused(
                () -> new ReclaimPolicy(SECOND, 0, 2, 5, SECOND, SECOND),
                "'konduit.queue.reaper-batch-size' (0) must be at least 1.");
    }

    @Test
    void isolationMustComeAfterAtLeastOneCrash() {
        assertRefused(
                () -> new ReclaimPolicy(SECOND, 500, 0, 5, SECOND, SECOND),
                "'konduit.queue.zombie.isolate-after' (0) must be at least 1.");
    }

    @Test
    void quarantineMustNotComeBeforeIsolation() {
        assertRefused(
                () -> new ReclaimPolicy(SECOND, 500, 3, 2, SECOND, SECOND),
                "'konduit.queue.zombie.quarantine-after' (2) must be at least 'konduit.queue.zombie.isolate-after' (3).");
    }

    @Test
    void backoffMustFitUnderItsCap() {
        assertRefused(
                () -> new ReclaimPolicy(SECOND, 500, 2, 5, Duration.ofMinutes(2), Duration.ofMinutes(1)),
                "'konduit.queue.zombie.backoff-cap' (1m) must be at least 'konduit.queue.zombie.backoff' (2m), and neither negative.");
        assertRefused(
                () -> new ReclaimPolicy(SECOND, 500, 2, 5, BEFORE, SECOND),
                "'konduit.queue.zombie.backoff-cap' (1s) must be at least 'konduit.queue.zombie.backoff' (-1s), and neither negative.");
    }

    @Test
    void smallestPossibleSettingsAreAccepted() {
        assertThat(new ReclaimPolicy(Duration.ZERO, 1, 1, 1, Duration.ZERO, Duration.ZERO))
                .isNotNull();
        assertThat(new RetentionSettings(
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ZERO,
                        Duration.ofMillis(1),
                        1))
                .isNotNull();
    }

    @Test
    void retentionMustNotBeNegative() {
        assertRefused(
                () -> new RetentionSettings(BEFORE, SECOND, SECOND, SECOND, SECOND, SECOND, 1),
                "'konduit.queue.retention.completed' (-1s) must not be negative.");
        assertRefused(
                () -> new RetentionSettings(SECOND, BEFORE, SECOND, SECOND, SECOND, SECOND, 1),
                "'konduit.queue.retention.failed' (-1s) must not be negative.");
        assertRefused(
                () -> new RetentionSettings(SECOND, SECOND, BEFORE, SECOND, SECOND, SECOND, 1),
                "'konduit.queue.retention.incidents' (-1s) must not be negative.");
        assertRefused(
                () -> new RetentionSettings(SECOND, SECOND, SECOND, BEFORE, SECOND, SECOND, 1),
                "'konduit.queue.retention.workers' (-1s) must not be negative.");
        assertRefused(
                () -> new RetentionSettings(SECOND, SECOND, SECOND, SECOND, BEFORE, SECOND, 1),
                "'konduit.queue.retention.firings' (-1s) must not be negative.");
    }

    @Test
    void numberOfKeptTasksMustNotBeNegative() {
        assertRefused(
                () -> new RetentionSettings(SECOND, SECOND, SECOND, SECOND, SECOND, SECOND, 1, -1),
                "'konduit.queue.retention.completed-count' (-1) must not be negative.");
    }

    @Test
    void retentionNeedsAnIntervalAndABatch() {
        assertRefused(
                () -> new RetentionSettings(SECOND, SECOND, SECOND, SECOND, SECOND, Duration.ZERO, 1),
                "'konduit.queue.retention.interval' (0s) must be greater than zero.");
        assertRefused(
                () -> new RetentionSettings(SECOND, SECOND, SECOND, SECOND, SECOND, SECOND, 0),
                "'konduit.queue.retention.batch-size' (0) must be at least 1.");
    }

    @Test
    @Tag("R1")
    void eachKindHasItsOwnTime() {
        RetentionSettings settings = new RetentionSettings(
                Duration.ofDays(1),
                Duration.ofDays(2),
                Duration.ofDays(3),
                Duration.ZERO,
                Duration.ofDays(5),
                SECOND,
                1);

        assertThat(RowPruner.keep(Kind.FAILED, settings)).isEqualTo(Duration.ofDays(2));
        assertThat(RowPruner.keep(Kind.INCIDENTS, settings)).isEqualTo(Duration.ofDays(3));
        assertThat(RowPruner.keep(Kind.FIRINGS, settings)).isEqualTo(Duration.ofDays(5));
        assertThat(RowPruner.keep(Kind.WORKERS, settings)).isZero();
    }

    private static void assertRefused(ThrowingCallable settings, String message) {
        assertThatThrownBy(settings)
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessage(message);
    }
}
