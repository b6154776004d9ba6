package io.konduit.queue;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task as it stood when it was read. Payload and checkpoint are left out on purpose: they are for the handler.
 *
 * @param attempts how often it was tried; a claim that was given back does not count
 * @param maxAttempts null until the first worker decides, when the sender named no limit and had no handler to ask
 * @param reapable null until the first worker decides, when the sender named no choice and had no handler to ask
 * @param lockedBy the worker that holds the lease, while the task is RUNNING
 * @param holdReason why the task is HELD
 * @param finishedAt when the task was completed, cancelled or failed for good
 */
public record Task(
        TaskId id,
        String queue,
        String type,
        TaskStatus status,
        Priority priority,
        Instant runAt,
        int attempts,
        @Nullable Integer maxAttempts,
        @Nullable Boolean reapable,
        int zombieCount,
        long leaseEpoch,
        @Nullable UUID lockedBy,
        @Nullable Instant lockedAt,
        @Nullable Instant lockTimeoutAt,
        @Nullable Instant lastCheckpointAt,
        @Nullable HoldReason holdReason,
        @Nullable String uniqueKey,
        Instant createdAt,
        @Nullable Instant finishedAt) {}
