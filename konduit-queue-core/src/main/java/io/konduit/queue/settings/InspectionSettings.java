package io.konduit.queue.settings;

import java.time.Duration;

/**
 * The settings that answers to operators depend on, from {@code konduit.queue.*}.
 *
 * @param zombieLimit a task that has lost more workers than this is reported
 * @param isolateAfter a task that has lost this many workers runs alone
 * @param quarantineAfter a task that has lost this many workers is held
 * @param reaperGrace how long an ended lease is left alone
 * @param reaperInterval how often the reaper runs; zero when it is off
 * @param staleThreshold a worker that has been silent for longer is STALE
 * @param abandonedThreshold a running task without progress for longer is abandoned; zero when none ever is
 */
public record InspectionSettings(
        int zombieLimit,
        int isolateAfter,
        int quarantineAfter,
        Duration reaperGrace,
        Duration reaperInterval,
        Duration staleThreshold,
        Duration abandonedThreshold) {

    /** The defaults of the properties. */
    public static InspectionSettings defaults() {
        return new InspectionSettings(
                Defaults.number(Defaults.ZOMBIE_WARN_ABOVE),
                Defaults.number(Defaults.ZOMBIE_ISOLATE_AFTER),
                Defaults.number(Defaults.ZOMBIE_QUARANTINE_AFTER),
                Defaults.duration(Defaults.REAPER_GRACE),
                Defaults.duration(Defaults.REAPER_INTERVAL),
                Defaults.duration(Defaults.WORKER_STALE_THRESHOLD),
                Defaults.duration(Defaults.ABANDONED_THRESHOLD));
    }
}
