package io.konduit.queue.admin;

import io.konduit.queue.HoldReason;
import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task that is held for review, with the evidence.
 *
 * @param idempotencyKey the key that its handler passes to the external system: look for it there
 * @param lastError why an attempt failed or was interrupted, if one did
 * @param lateOutcome what the lost worker reported later; null when it never did
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
        @Nullable TaskOutcome lateOutcome,
        @Nullable Instant lateOutcomeAt,
        @Nullable TaskError lastError) {}
