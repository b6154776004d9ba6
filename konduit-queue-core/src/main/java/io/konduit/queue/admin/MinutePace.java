package io.konduit.queue.admin;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The tasks that ended within one minute. Waiting and running times are in seconds, null when none completed.
 *
 * @param completed how many completed
 * @param failed how many failed for good
 * @param estimated whether there were too many to count; the numbers then go by a sample
 * @param waitedMedian from when a task was due until its last run began
 * @param waitedMost the same for the slowest 5 percent
 * @param ranMedian how long the last run took
 * @param ranMost the same for the slowest 5 percent
 */
public record MinutePace(
        Instant minute,
        double completed,
        double failed,
        boolean estimated,
        @Nullable Double waitedMedian,
        @Nullable Double waitedMost,
        @Nullable Double ranMedian,
        @Nullable Double ranMost) {}
