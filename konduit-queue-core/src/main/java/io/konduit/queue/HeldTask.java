package io.konduit.queue;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task that waits for a person, with the evidence.
 *
 * @param lateOutcome what the lost worker reported after all, COMPLETED or FAILED; null when it never did
 */
public record HeldTask(
        TaskId id,
        String queue,
        String type,
        HoldReason reason,
        int attempts,
        int zombieCount,
        @Nullable String uniqueKey,
        Instant createdAt,
        @Nullable Instant lastCheckpointAt,
        @Nullable Instant heldAt,
        @Nullable UUID previousOwner,
        @Nullable Instant leaseStartedAt,
        @Nullable Instant leaseEndedAt,
        @Nullable String lateOutcome,
        @Nullable Instant lateOutcomeAt) {}
