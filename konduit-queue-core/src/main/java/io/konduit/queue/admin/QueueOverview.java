package io.konduit.queue.admin;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The overview of all queues.
 *
 * @param readAt the time of the database when this was read
 * @param leader the worker that runs the background chores; null when there is none
 * @param lastReaper the worker that ran the reaper's last pass
 * @param zombiesAboveLimit live tasks that have lost more than {@code zombieLimit} workers
 * @param oldestDueSeconds how long the oldest due task of all queues has been due; null when none is
 * @param oldestExpiredLeaseSeconds the age of the oldest expired lease that was not reclaimed; null when there is none
 * @param secondsSinceReaper how long ago the reaper last succeeded anywhere; null when it never has
 */
public record QueueOverview(
        Instant readAt,
        List<QueueState> queues,
        int activeWorkers,
        int staleWorkers,
        int drainingWorkers,
        int slots,
        @Nullable String leader,
        @Nullable UUID lastReaper,
        long zombiesAboveLimit,
        int zombieLimit,
        @Nullable Double oldestDueSeconds,
        @Nullable Double oldestExpiredLeaseSeconds,
        @Nullable Double secondsSinceReaper) {

    /** How many tasks are held for review. */
    public long held() {
        return queues.stream().mapToLong(QueueState::held).sum();
    }
}
