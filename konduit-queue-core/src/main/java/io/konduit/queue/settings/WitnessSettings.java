package io.konduit.queue.settings;

import java.time.Duration;

/**
 * How a worker's death is detected before its leases expire, from {@code konduit.queue.witness.*}.
 *
 * @param enabled whether workers have witnesses, and the leader looks at them
 * @param grace how long a witness must have been gone before the leases of its worker end
 */
public record WitnessSettings(boolean enabled, Duration grace) {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /**
     * If leases are shorter than the default grace, their expiry reveals a death sooner, and there is no witness.
     *
     * @throws io.konduit.queue.InvalidSettingsException if the grace leaves no time to reconnect, or is not shorter than a lease
     */
    public static WitnessSettings of(boolean enabled, Duration grace, Duration lockTimeout) {
        SettingRules.require(
                grace.compareTo(SHORTEST) >= 0,
                ("'" + PropertyNames.WITNESS_GRACE + "' (%s) must be at least 1s. Set '" + PropertyNames.WITNESS_ENABLED
                                + "' to false to disable the witness.")
                        .formatted(DurationText.of(grace)));
        boolean ofUse = grace.compareTo(lockTimeout) < 0;
        SettingRules.require(
                !enabled || ofUse || grace.equals(Defaults.duration(Defaults.WITNESS_GRACE)),
                ("'" + PropertyNames.WITNESS_GRACE + "' (%s) must be less than '" + PropertyNames.LOCK_TIMEOUT
                                + "' (%s).")
                        .formatted(DurationText.of(grace), DurationText.of(lockTimeout)));
        return new WitnessSettings(enabled && ofUse, grace);
    }

    /** The defaults of the properties. */
    public static WitnessSettings defaults() {
        return of(
                Defaults.flag(Defaults.WITNESS_ENABLED),
                Defaults.duration(Defaults.WITNESS_GRACE),
                WorkerSettings.defaults().lockTimeout());
    }
}
