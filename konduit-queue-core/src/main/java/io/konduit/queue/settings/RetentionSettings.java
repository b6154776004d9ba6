package io.konduit.queue.settings;

import java.time.Duration;

/** How long each kind of row is kept, from {@code konduit.queue.retention.*}; zero keeps rows forever. */
public record RetentionSettings(
        Duration completed, Duration failed, Duration incidents, Duration workers, Duration interval, int batchSize) {

    public RetentionSettings {
        SettingRules.requireNotNegative(completed, PropertyNames.RETENTION_COMPLETED);
        SettingRules.requireNotNegative(failed, PropertyNames.RETENTION_FAILED);
        SettingRules.requireNotNegative(incidents, PropertyNames.RETENTION_INCIDENTS);
        SettingRules.requireNotNegative(workers, PropertyNames.RETENTION_WORKERS);
        SettingRules.requirePositive(interval, PropertyNames.RETENTION_INTERVAL);
        SettingRules.requireAtLeastOne(batchSize, PropertyNames.RETENTION_BATCH_SIZE);
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
