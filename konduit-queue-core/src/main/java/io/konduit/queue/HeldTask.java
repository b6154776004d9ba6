package io.konduit.queue;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task that waits for a person, with the evidence.
 *
 * @param idempotencyKey what its handler was given to hand to the system it works on: look for it there
 * @param lastError why an attempt failed or was interrupted, if one was
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
        String idempotencyKey,
        Instant createdAt,
        @Nullable Instant lastCheckpointAt,
        @Nullable Instant heldAt,
        @Nullable UUID previousOwner,
        @Nullable Instant leaseStartedAt,
        @Nullable Instant leaseEndedAt,
        @Nullable String lateOutcome,
        @Nullable Instant lateOutcomeAt,
        @Nullable TaskError lastError) {}
