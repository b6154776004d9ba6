package io.konduit.queue.settings;

import java.time.Duration;

/**
 * When the leader runs the background chores.
 *
 * @param reaperInterval zero disables the reaper
 * @param abandonedThreshold a running task without progress for longer than this is abandoned; zero means never
 * @param abandonedInterval how often abandoned tasks are looked for
 * @param staleThreshold a worker that has been silent for longer is STALE
 */
public record ChoreSettings(
        Duration reaperInterval, Duration abandonedThreshold, Duration abandonedInterval, Duration staleThreshold) {
    /** What is said where the reaper is off. */
    public static final String WITHOUT_REAPER =
            "'" + PropertyNames.REAPER_INTERVAL + "' is 0: the tasks of crashed workers do not come back on their own";

    public ChoreSettings {
        SettingRules.requireNotNegative(reaperInterval, PropertyNames.REAPER_INTERVAL);
        SettingRules.requireNotNegative(abandonedThreshold, PropertyNames.ABANDONED_THRESHOLD);
        SettingRules.requirePositive(abandonedInterval, PropertyNames.ABANDONED_INTERVAL);
    }

    /** The defaults of the properties. */
    public static ChoreSettings defaults() {
        return new ChoreSettings(
                Defaults.duration(Defaults.REAPER_INTERVAL),
                Defaults.duration(Defaults.ABANDONED_THRESHOLD),
                Defaults.duration(Defaults.ABANDONED_INTERVAL),
                Defaults.duration(Defaults.WORKER_STALE_THRESHOLD));
    }

    /**
     * With less than two heartbeats, a worker whose next one is not yet due would be marked STALE. Checked where workers
     * are marked: an instance that only enqueues may send heartbeats as rarely as it likes.
     */
    public ChoreSettings requireStaleAfterTwo(Duration heartbeatInterval) {
        SettingRules.require(
                staleThreshold.compareTo(heartbeatInterval.multipliedBy(2)) >= 0,
                ("'" + PropertyNames.WORKER_STALE_THRESHOLD + "' (%s) must be at least twice '"
                                + PropertyNames.WORKER_HEARTBEAT_INTERVAL + "' (%s).")
                        .formatted(DurationText.of(staleThreshold), DurationText.of(heartbeatInterval)));
        return this;
    }
}
