package io.konduit.queue;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule as it is stored.
 *
 * @param type of its tasks
 * @param queue of its tasks
 * @param cron null if it has an interval
 * @param zone of the cron expression
 * @param every null if it has a cron expression
 * @param nextAt the next nominal time; while it is paused, the first one that it did not fire
 * @param lastTask the newest task that it has made
 * @param declared whether it comes from {@link Recurring}; otherwise it was put at run time
 * @param paused null while it fires
 */
public record ScheduleInfo(
        String name,
        String type,
        String queue,
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Duration every,
        CatchUp catchUp,
        Overlap overlap,
        Instant nextAt,
        @Nullable TaskId lastTask,
        boolean declared,
        @Nullable Pause paused) {

    /**
     * Why a schedule does not fire.
     *
     * @param by the operator, or the instance that noticed
     */
    public record Pause(
            PauseReason reason,
            Instant at,
            String by,
            @Nullable String note) {}

    /** Who paused a schedule. */
    public enum PauseReason {
        /** An operator, until an operator resumes it. */
        OPERATOR,
        /** The queue: no live worker declares it any more. It comes back when one does. */
        UNDECLARED,
        /** The queue: an instance could not compute its times. It comes back when it is declared or put again. */
        INVALID
    }
}
