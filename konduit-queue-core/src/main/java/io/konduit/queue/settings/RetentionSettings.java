package io.konduit.queue.settings;

import java.time.Duration;

/** How long each kind of row is kept, from {@code konduit.queue.retention.*}; zero keeps rows forever. */
public record RetentionSettings(
        Duration completed, Duration failed, Duration incidents, Duration workers, Duration interval, int batchSize) {

    public RetentionSettings {
        SettingRules.requireNotNegative(completed, "konduit.queue.retention.completed");
        SettingRules.requireNotNegative(failed, "konduit.queue.retention.failed");
        SettingRules.requireNotNegative(incidents, "konduit.queue.retention.incidents");
        SettingRules.requireNotNegative(workers, "konduit.queue.retention.workers");
        SettingRules.requirePositive(interval, "konduit.queue.retention.interval");
        SettingRules.requireAtLeastOne(batchSize, "konduit.queue.retention.batch-size");
    }

    /** The defaults of the properties. */
    public static RetentionSettings defaults() {
        return new RetentionSettings(
                Defaults.duration(Defaults.RETENTION_COMPLETED),
                Defaults.duration(Defaults.RETENTION_FAILED),
                Defaults.duration(Defaults.RETENTION_INCIDENTS),
                Defaults.duration(Defaults.RETENTION_WORKERS),
                Defaults.duration(Defaults.RETENTION_INTERVAL),
                Defaults.number(Defaults.RETENTION_BATCH_SIZE));
    }
}
