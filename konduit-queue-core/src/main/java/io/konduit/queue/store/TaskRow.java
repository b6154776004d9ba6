package io.konduit.queue.store;

import io.konduit.queue.HoldReason;
import io.konduit.queue.Priority;
import io.konduit.queue.Task;
import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/** A row of the view {@code konduit_tasks}, without payload and checkpoint. */
@Table("konduit_tasks")
public record TaskRow(
        @Id long id,
        String queue,
        String type,
        TaskStatus status,
        int priority,
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
        @Nullable String lastError,
        Instant createdAt,
        @Nullable Instant finishedAt) {

    /** @param error the newest error; null when no attempt has failed */
    public Task toTask(@Nullable TaskError error) {
        return new Task(
                TaskId.of(id),
                queue,
                type,
                status,
                Priority.ofLevel(priority),
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
