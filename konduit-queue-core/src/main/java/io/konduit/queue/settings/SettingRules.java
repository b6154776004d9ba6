package io.konduit.queue.settings;

import io.konduit.queue.InvalidSettingsException;
import java.time.Duration;

/** Validates settings. A violation names the property, its value and the rule. */
final class SettingRules {
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private SettingRules() {}

    /** Less than a millisecond counts as zero, as in messages and for PostgreSQL. */
    static void requirePositive(Duration value, String property) {
        require(
                value.compareTo(SHORTEST) >= 0,
                "'%s' (%s) must be greater than zero.".formatted(property, DurationText.of(value)));
    }

    static void requireNotNegative(Duration value, String property) {
        require(!value.isNegative(), "'%s' (%s) must not be negative.".formatted(property, DurationText.of(value)));
    }

    static void requireNotNegative(long value, String property) {
        require(value >= 0, "'%s' (%d) must not be negative.".formatted(property, value));
    }

    static void requireAtLeastOne(int value, String property) {
        require(value >= 1, "'%s' (%d) must be at least 1.".formatted(property, value));
    }

    static void require(boolean holds, String message) {
        if (!holds) {
            throw new InvalidSettingsException(message);
        }
    }
}
