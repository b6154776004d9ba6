package io.konduit.queue.settings;

import java.time.Duration;

/**
 * How schedules fire, from {@code konduit.queue.schedules.*}.
 *
 * @param maxCatchUp how many missed times fire at most, with {@link io.konduit.queue.CatchUp#ALL}
 * @param undeclaredAfter when a schedule is paused that no live worker declares any more
 */
public record ScheduleSettings(int maxCatchUp, Duration undeclaredAfter) {
    /** Of one schedule in one statement. */
    public static final int MOST_CATCH_UP = 1_000;

    public ScheduleSettings {
        SettingRules.require(
                maxCatchUp >= 1 && maxCatchUp <= MOST_CATCH_UP,
                "'" + PropertyNames.SCHEDULES_MAX_CATCH_UP + "' (" + maxCatchUp + ") must be between 1 and "
                        + MOST_CATCH_UP + ".");
        SettingRules.requirePositive(undeclaredAfter, PropertyNames.SCHEDULES_UNDECLARED_AFTER);
    }

    /** The defaults of the properties. */
    public static ScheduleSettings defaults() {
        return new ScheduleSettings(
                Defaults.number(Defaults.SCHEDULES_MAX_CATCH_UP),
                Defaults.duration(Defaults.SCHEDULES_UNDECLARED_AFTER));
    }
}
