package io.konduit.queue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a task. Payload and checkpoint are deliberately left out: they are for the handler.
 *
 * @param attempts the number of attempts so far; a claim that was given back does not count
 * @param maxAttempts null until the first claim when the request set no limit and the sending application has no
 *     handler for the type
 * @param reapable null until the first claim when the request did not set it and the sending application has no handler
 *     for the type
 * @param lockedBy the worker that holds the lease while the task is RUNNING
 * @param holdReason why the task is HELD
 * @param finishedAt when the task was completed, was cancelled or failed permanently
 * @param lastError the error of the last failed attempt; kept when a later attempt succeeds
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

    /**
     * The key that the handler gets from {@link TaskContext#idempotencyKey()}. Use it to find the task's effects in
     * external systems.
     */
    public String idempotencyKey() {
        return idempotencyKey(id, type, createdAt);
    }

    /** Derived from immutable values. The creation time is included so that a newly created database repeats no key. */
    public static String idempotencyKey(TaskId id, String type, Instant createdAt) {
        String name = "konduit:" + type + ":" + id + ":" + ChronoUnit.MICROS.between(Instant.EPOCH, createdAt);
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
