package io.konduit.queue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
 * @param lastError why its last attempt that failed did so; kept when a later one succeeds
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
        @Nullable Instant finishedAt,
        @Nullable TaskError lastError) {

    /** What {@link TaskContext#idempotencyKey()} gives the handler: look for it in the system the task works on. */
    public String idempotencyKey() {
        return idempotencyKey(id, type, createdAt);
    }

    /** Made of what never changes, and of the creation time, so that a database set up anew repeats no key. */
    public static String idempotencyKey(TaskId id, String type, Instant createdAt) {
        String name = "konduit:" + type + ":" + id + ":" + ChronoUnit.MICROS.between(Instant.EPOCH, createdAt);
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }

    /** The same task with another last error. */
    public Task withLastError(@Nullable TaskError error) {
        return new Task(
                id,
                queue,
                type,
                status,
                priority,
                runAt,
                attempts,
                maxAttempts,
                reapable,
                zombieCount,
                leaseEpoch,
                lockedBy,
                lockedAt,
                lockTimeoutAt,
                lastCheckpointAt,
                holdReason,
                uniqueKey,
                createdAt,
                finishedAt,
                error);
    }
}
