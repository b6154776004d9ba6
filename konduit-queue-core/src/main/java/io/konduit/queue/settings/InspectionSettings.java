package io.konduit.queue.settings;

import java.time.Duration;

/**
 * The settings that answers to operators depend on.
 *
 * @param zombieLimit a task that has lost more workers than this is reported
 */
public record InspectionSettings(int zombieLimit, ReclaimPolicy reclaim, ChoreSettings chores) {

    /** With the default limit of the properties. */
    public static InspectionSettings of(ReclaimPolicy reclaim, ChoreSettings chores) {
        return new InspectionSettings(Defaults.number(Defaults.ZOMBIE_WARN_ABOVE), reclaim, chores);
    }

    /** The defaults of the properties. */
    public static InspectionSettings defaults() {
        return of(ReclaimPolicy.defaults(), ChoreSettings.defaults());
    }

    public int isolateAfter() {
        return reclaim.isolateAfter();
    }

    public int quarantineAfter() {
        return reclaim.quarantineAfter();
    }

    public Duration reaperGrace() {
        return reclaim.grace();
    }

    public Duration reaperInterval() {
        return chores.reaperInterval();
    }

    public Duration staleThreshold() {
        return chores.staleThreshold();
    }

    public Duration abandonedThreshold() {
        return chores.abandonedThreshold();
    }
}
