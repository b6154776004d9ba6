package io.konduit.queue.schedule;

import java.time.Duration;

/** Receives what schedules do, for metrics. Must be fast and must not throw. */
public interface ScheduleMonitor {
    /** Does nothing. */
    ScheduleMonitor NONE = new ScheduleMonitor() {};

    /** @param lateness from the nominal time to the firing, by the database's clock */
    default void fired(String queue, String type, Duration lateness) {}

    /** The previous task was not finished. */
    default void skipped(String queue, String type) {}

    /** Times were missed and are not made up. */
    default void dropped(String queue, String type, long times) {}
}
