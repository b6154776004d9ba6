package io.konduit.queue.review;

import io.konduit.queue.HoldReason;
import io.konduit.queue.Task;
import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;
import io.konduit.queue.admin.HeldTask;
import io.konduit.queue.admin.TaskOutcome;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.relational.core.mapping.Embedded;

/** A row of {@code list-held.sql}: a held task, the incident that caused the hold, and its newest error. */
record HeldRow(
        TaskId id,
        String queue,
        String type,
        HoldReason holdReason,
        int attempts,
        int zombieCount,
        @Nullable String uniqueKey,
        Instant createdAt,
        @Nullable Instant lastCheckpointAt,
        @Nullable Instant heldAt,
        @Nullable UUID previousOwner,
        @Nullable Instant leaseStartedAt,
        @Nullable Instant leaseEndedAt,
        @Nullable TaskOutcome lateOutcome,
        @Nullable Instant lateOutcomeAt,
        @Embedded.Nullable(prefix = "error_") @Nullable TaskError lastError) {

    HeldTask toHeldTask() {
        return new HeldTask(
                id,
                queue,
                type,
                holdReason,
                attempts,
                zombieCount,
                uniqueKey,
                Task.idempotencyKey(id, type, createdAt),
                createdAt,
                lastCheckpointAt,
                heldAt,
                previousOwner,
                leaseStartedAt,
                leaseEndedAt,
                lateOutcome,
                lateOutcomeAt,
                lastError);
    }
}
