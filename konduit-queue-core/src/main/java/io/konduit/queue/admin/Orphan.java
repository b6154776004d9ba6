package io.konduit.queue.admin;

import io.konduit.queue.HoldReason;
import io.konduit.queue.TaskId;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A running task that would be taken from its worker: its lease has ended, or it makes no progress.
 *
 * @param wouldBeHeld why a reclaim would hold it; null when it would run again
 */
public record Orphan(
        TaskId id,
        String queue,
        String type,
        UUID owner,
        long leaseEpoch,
        Instant leaseStartedAt,
        Instant leaseEndedAt,
        int zombieCount,
        @Nullable HoldReason wouldBeHeld) {}
