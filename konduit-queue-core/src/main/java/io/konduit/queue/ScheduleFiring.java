package io.konduit.queue;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of one nominal time of a schedule.
 *
 * @param nominalAt the time that it was for
 * @param recordedAt when that was decided, by the database's clock
 * @param task the task that was made; if it was skipped, the one that was not finished
 * @param dropped how many earlier times were dropped with this one
 * @param actor who ran it by hand
 */
public record ScheduleFiring(
        Instant nominalAt,
        Outcome outcome,
        Instant recordedAt,
        @Nullable TaskId task,
        long dropped,
        @Nullable String actor) {

    /** What a schedule does at a nominal time. */
    public enum Outcome {
        FIRED,
        /** An operator ran it. */
        BY_HAND,
        /** The previous task was not finished. */
        SKIPPED,
        /** It was missed, and the schedule does not catch up. */
        DROPPED
    }
}
