package io.konduit.queue.sample;

import io.konduit.queue.HoldReason;
import io.konduit.queue.Task;
import io.konduit.queue.TaskStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A task as the sample's web pages show it. */
record TaskView(
        long id,
        String type,
        TaskStatus status,
        int attempts,
        int lostWorkers,
        @Nullable HoldReason holdReason,
        Instant createdAt,
        Instant runAt,
        @Nullable Instant lastCheckpointAt,
        @Nullable Instant finishedAt) {

    static TaskView of(Task task) {
        return new TaskView(
                task.id().value(),
                task.type(),
                task.status(),
                task.attempts(),
                task.zombieCount(),
                task.holdReason(),
                task.createdAt(),
                task.runAt(),
                task.lastCheckpointAt(),
                task.finishedAt());
    }
}
