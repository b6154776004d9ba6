package io.konduit.queue.retention;

import io.konduit.queue.DurationText;
import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.store.RetentionRepository.Kind;
import java.time.Duration;

/** How long what is kept, as {@code konduit.queue.retention.*} says; zero keeps for ever. */
public record RetentionSettings(
        Duration completed, Duration failed, Duration incidents, Duration workers, Duration interval, int batchSize) {

    public RetentionSettings {
        notNegative(completed, "completed");
        notNegative(failed, "failed");
        notNegative(incidents, "incidents");
        notNegative(workers, "workers");
        require(
                !interval.isNegative() && !interval.isZero(),
                "'konduit.queue.retention.interval' (%s) must be greater than zero."
                        .formatted(DurationText.of(interval)));
        require(batchSize >= 1, "'konduit.queue.retention.batch-size' (%d) must be at least 1.".formatted(batchSize));
    }

    /** The defaults of the properties. */
    public static RetentionSettings defaults() {
        return new RetentionSettings(
                Duration.ofDays(7),
                Duration.ofDays(30),
                Duration.ofDays(90),
                Duration.ofDays(1),
                Duration.ofMinutes(10),
                5_000);
    }

    /** How long rows of that kind are kept; zero for ever. */
    public Duration keep(Kind kind) {
        return switch (kind) {
            case COMPLETED -> completed;
            case FAILED -> failed;
            case INCIDENTS, AUDIT, QUEUE_AUDIT -> incidents;
            case WORKERS -> workers;
        };
    }

    private static void notNegative(Duration value, String name) {
        require(
                !value.isNegative(),
                "'konduit.queue.retention.%s' (%s) must not be negative.".formatted(name, DurationText.of(value)));
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new InvalidSettingsException(message);
        }
    }
}
