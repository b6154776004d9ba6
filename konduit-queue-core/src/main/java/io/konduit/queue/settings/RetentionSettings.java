package io.konduit.queue.settings;

import java.time.Duration;

/**
 * How long each kind of row is kept, from {@code konduit.queue.retention.*}; zero keeps rows forever.
 *
 * @param completedCount how many completed and cancelled tasks are kept; zero: only their age counts
 */
public record RetentionSettings(
        Duration completed,
        Duration failed,
        Duration incidents,
        Duration workers,
        Duration firings,
        Duration interval,
        int batchSize,
        long completedCount) {
    /** A task is kept that long however many there are: its worker may ask whether its completion was stored. */
    public static final Duration LEAST_AGE = Duration.ofMinutes(1);

    public RetentionSettings {
        SettingRules.requireNotNegative(completed, PropertyNames.RETENTION_COMPLETED);
        SettingRules.requireNotNegative(failed, PropertyNames.RETENTION_FAILED);
        SettingRules.requireNotNegative(incidents, PropertyNames.RETENTION_INCIDENTS);
        SettingRules.requireNotNegative(workers, PropertyNames.RETENTION_WORKERS);
        SettingRules.requireNotNegative(firings, PropertyNames.RETENTION_FIRINGS);
        SettingRules.requirePositive(interval, PropertyNames.RETENTION_INTERVAL);
        SettingRules.requireAtLeastOne(batchSize, PropertyNames.RETENTION_BATCH_SIZE);
        SettingRules.requireNotNegative(completedCount, PropertyNames.RETENTION_COMPLETED_COUNT);
    }

    /** Without a limit on the number of completed tasks. */
    public RetentionSettings(
            Duration completed,
            Duration failed,
            Duration incidents,
            Duration workers,
            Duration firings,
            Duration interval,
            int batchSize) {
        this(completed, failed, incidents, workers, firings, interval, batchSize, 0);
    }

    /** The defaults of the properties. */
    public static RetentionSettings defaults() {
        return new RetentionSettings(
                Defaults.duration(Defaults.RETENTION_COMPLETED),
                Defaults.duration(Defaults.RETENTION_FAILED),
                Defaults.duration(Defaults.RETENTION_INCIDENTS),
                Defaults.duration(Defaults.RETENTION_WORKERS),
                Defaults.duration(Defaults.RETENTION_FIRINGS),
                Defaults.duration(Defaults.RETENTION_INTERVAL),
                Defaults.number(Defaults.RETENTION_BATCH_SIZE),
                Defaults.number(Defaults.RETENTION_COMPLETED_COUNT));
    }
}
