package io.konduit.queue.store;

import io.konduit.queue.ScheduleFiring.Outcome;
import java.time.Instant;
import java.util.List;

/**
 * What to do with a schedule that is due.
 *
 * @param times newest last; {@link Outcome#FIRED} ones get a task
 * @param nextAt the next nominal time
 */
public record PlannedFiring(DueSchedule schedule, List<Time> times, Instant nextAt) {
    /**
     * A nominal time.
     *
     * @param dropped how many earlier times are dropped with it
     */
    public record Time(Instant nominalAt, Outcome outcome, long dropped) {}
}
