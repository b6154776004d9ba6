package io.konduit.queue.store;

import io.konduit.queue.CatchUp;
import io.konduit.queue.Overlap;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A checked schedule, ready to be stored.
 *
 * @param nextAt the first nominal time, unless the stored schedule has the same times
 * @param task what it makes; null leaves the choice to the worker
 */
public record NewSchedule(
        String name,
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Duration every,
        CatchUp catchUp,
        Overlap overlap,
        boolean declared,
        Template task,
        Instant nextAt) {

    /** A task without a start time. */
    public record Template(
            String type,
            String queue,
            String payload,
            int priority,
            @Nullable Integer maxAttempts,
            @Nullable Boolean reapable,
            @Nullable Duration lockTimeout,
            @Nullable Duration timeout) {}
}
