package io.konduit.queue.admin;

import org.jspecify.annotations.Nullable;

/**
 * The state of one queue.
 *
 * @param pendingIsEstimate whether there were too many waiting tasks to count
 * @param oldestDueSeconds how long the oldest due task has been due; null when none is
 * @param activeWorkers how many active workers serve it, with the sum of their slots
 * @param paused set while the queue is paused
 */
public record QueueState(
        String name,
        long pending,
        boolean pendingIsEstimate,
        long running,
        long held,
        long failed,
        @Nullable Double oldestDueSeconds,
        int activeWorkers,
        int slots,
        @Nullable PausedQueue paused) {}
