package io.konduit.queue.settings;

import java.time.Duration;

/**
 * When the leader runs the background chores.
 *
 * @param reaperInterval zero disables the reaper
 * @param abandonedThreshold a running task without progress for longer than this is abandoned; zero means never
 * @param abandonedInterval how often abandoned tasks are looked for
 * @param staleThreshold a worker that has been silent for longer is STALE
 * @param heartbeatInterval how often live workers send a heartbeat
 */
public record ChoreSettings(
        Duration reaperInterval,
        Duration abandonedThreshold,
        Duration abandonedInterval,
        Duration staleThreshold,
        Duration heartbeatInterval) {

    public ChoreSettings {
        SettingRules.requireNotNegative(reaperInterval, "konduit.queue.reaper-interval");
        SettingRules.requireNotNegative(abandonedThreshold, "konduit.queue.abandoned.threshold");
        SettingRules.requirePositive(abandonedInterval, "konduit.queue.abandoned.interval");
        // with less, a worker whose next heartbeat is not yet due would be marked STALE
        SettingRules.require(
                staleThreshold.compareTo(heartbeatInterval.multipliedBy(2)) >= 0,
                "'konduit.queue.worker.stale-threshold' (%s) must be at least twice 'konduit.queue.worker.heartbeat-interval' (%s)."
                        .formatted(DurationText.of(staleThreshold), DurationText.of(heartbeatInterval)));
    }

    /** The defaults of the properties. */
    public static ChoreSettings defaults() {
        return new ChoreSettings(
                Defaults.duration(Defaults.REAPER_INTERVAL),
                Defaults.duration(Defaults.ABANDONED_THRESHOLD),
                Defaults.duration(Defaults.ABANDONED_INTERVAL),
                Defaults.duration(Defaults.WORKER_STALE_THRESHOLD),
                Defaults.duration(Defaults.WORKER_HEARTBEAT_INTERVAL));
    }
}
