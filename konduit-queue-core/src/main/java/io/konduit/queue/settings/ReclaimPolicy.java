package io.konduit.queue.settings;

import java.time.Duration;

/**
 * What happens to the tasks of lost workers, from {@code konduit.queue.*}.
 *
 * @param grace how long an ended lease is left alone
 * @param batchSize how many tasks are reclaimed in one transaction
 * @param isolateAfter a task that has lost this many workers runs alone
 * @param quarantineAfter a task that has lost this many workers is held for review
 * @param backoff the delay of a task's second reclaim; the first has none, and each later one doubles
 * @param backoffCap the longest delay
 */
public record ReclaimPolicy(
        Duration grace, int batchSize, int isolateAfter, int quarantineAfter, Duration backoff, Duration backoffCap) {

    public ReclaimPolicy {
        SettingRules.requireNotNegative(grace, PropertyNames.REAPER_GRACE);
        SettingRules.requireAtLeastOne(batchSize, PropertyNames.REAPER_BATCH_SIZE);
        requireIsolateAfter(isolateAfter);
        SettingRules.require(
                quarantineAfter >= isolateAfter,
                ("'" + PropertyNames.ZOMBIE_QUARANTINE_AFTER + "' (%d) must be at least '"
                                + PropertyNames.ZOMBIE_ISOLATE_AFTER + "' (%d).")
                        .formatted(quarantineAfter, isolateAfter));
        SettingRules.require(
                !backoff.isNegative() && backoffCap.compareTo(backoff) >= 0,
                ("'" + PropertyNames.ZOMBIE_BACKOFF_CAP + "' (%s) must be at least '" + PropertyNames.ZOMBIE_BACKOFF
                                + "' (%s), and neither negative.")
                        .formatted(DurationText.of(backoffCap), DurationText.of(backoff)));
    }

    /** The defaults of the properties. */
    public static ReclaimPolicy defaults() {
        return new ReclaimPolicy(
                Defaults.duration(Defaults.REAPER_GRACE),
                Defaults.number(Defaults.REAPER_BATCH_SIZE),
                Defaults.number(Defaults.ZOMBIE_ISOLATE_AFTER),
                Defaults.number(Defaults.ZOMBIE_QUARANTINE_AFTER),
                Defaults.duration(Defaults.ZOMBIE_BACKOFF),
                Defaults.duration(Defaults.ZOMBIE_BACKOFF_CAP));
    }

    static void requireIsolateAfter(int isolateAfter) {
        SettingRules.requireAtLeastOne(isolateAfter, PropertyNames.ZOMBIE_ISOLATE_AFTER);
    }
}
