package io.konduit.queue.settings;

import io.konduit.queue.RetryPolicy;
import java.time.Duration;

/** When failed tasks are retried, from {@code konduit.queue.retry.*}. */
public record RetrySettings(
        int maxAttempts, Duration initialInterval, double multiplier, Duration maxInterval, double jitter) {

    public RetrySettings {
        SettingRules.requireAtLeastOne(maxAttempts, PropertyNames.RETRY_MAX_ATTEMPTS);
        SettingRules.requireNotNegative(initialInterval, PropertyNames.RETRY_INITIAL_INTERVAL);
        SettingRules.require(
                multiplier >= 1,
                ("'" + PropertyNames.RETRY_MULTIPLIER + "' (%s) must be at least 1.").formatted(multiplier));
        SettingRules.require(
                maxInterval.compareTo(initialInterval) >= 0,
                ("'" + PropertyNames.RETRY_MAX_INTERVAL + "' (%s) must be at least '"
                                + PropertyNames.RETRY_INITIAL_INTERVAL + "' (%s).")
                        .formatted(DurationText.of(maxInterval), DurationText.of(initialInterval)));
        SettingRules.require(
                jitter >= 0 && jitter <= 1,
                ("'" + PropertyNames.RETRY_JITTER + "' (%s) must be between 0 and 1.").formatted(jitter));
    }

    /** The defaults of the properties. */
    public static RetrySettings defaults() {
        return new RetrySettings(
                Defaults.number(Defaults.RETRY_MAX_ATTEMPTS),
                Defaults.duration(Defaults.RETRY_INITIAL_INTERVAL),
                Double.parseDouble(Defaults.RETRY_MULTIPLIER),
                Defaults.duration(Defaults.RETRY_MAX_INTERVAL),
                Double.parseDouble(Defaults.RETRY_JITTER));
    }

    /** The policy that these settings describe. */
    public RetryPolicy policy() {
        return RetryPolicy.exponential(maxAttempts, initialInterval, multiplier, maxInterval, jitter);
    }
}
