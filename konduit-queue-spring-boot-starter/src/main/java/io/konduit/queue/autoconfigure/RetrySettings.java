package io.konduit.queue.autoconfigure;

import io.konduit.queue.DurationText;
import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.RetryPolicy;

/** Checks {@code konduit.queue.retry.*} and makes the policy of it. */
final class RetrySettings {
    private RetrySettings() {}

    static RetryPolicy policy(KonduitQueueProperties.Retry retry) {
        require(
                retry.maxAttempts() >= 1,
                "'konduit.queue.retry.max-attempts' (%d) must be at least 1.".formatted(retry.maxAttempts()));
        require(
                !retry.initialInterval().isNegative(),
                "'konduit.queue.retry.initial-interval' (%s) must not be negative."
                        .formatted(DurationText.of(retry.initialInterval())));
        require(
                retry.multiplier() >= 1,
                "'konduit.queue.retry.multiplier' (%s) must be at least 1.".formatted(retry.multiplier()));
        require(
                retry.maxInterval().compareTo(retry.initialInterval()) >= 0,
                "'konduit.queue.retry.max-interval' (%s) must be at least 'konduit.queue.retry.initial-interval' (%s)."
                        .formatted(DurationText.of(retry.maxInterval()), DurationText.of(retry.initialInterval())));
        require(
                retry.jitter() >= 0 && retry.jitter() <= 1,
                "'konduit.queue.retry.jitter' (%s) must be between 0 and 1.".formatted(retry.jitter()));
        return RetryPolicy.exponential(
                retry.maxAttempts(), retry.initialInterval(), retry.multiplier(), retry.maxInterval(), retry.jitter());
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new InvalidSettingsException(message);
        }
    }
}
