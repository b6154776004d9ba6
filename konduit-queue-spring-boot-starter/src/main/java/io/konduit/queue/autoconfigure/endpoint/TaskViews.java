package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.Task;
import io.konduit.queue.admin.TaskStory;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** Tasks as callers see them. Payloads, checkpoints and error messages are included for callers with access to them. */
final class TaskViews {
    private TaskViews() {}

    record TaskView(
            long id,
            String queue,
            String type,
            String status,
            String priority,
            Instant runAt,
            int attempts,
            @Nullable Integer maxAttempts,
            @Nullable Boolean reapable,
            int zombieCount,
            @Nullable String holdReason,
            @Nullable String uniqueKey,
            Instant createdAt,
            @Nullable Instant finishedAt,
            @Nullable Instant lastCheckpointAt,
            String idempotencyKey,
            @Nullable String lastErrorClass) {

        static TaskView of(Task task) {
            return new TaskView(
                    task.id().value(),
                    task.queue(),
                    task.type(),
                    task.status().name(),
                    task.priority().name(),
                    task.runAt(),
                    task.attempts(),
                    task.maxAttempts(),
                    task.reapable(),
                    task.zombieCount(),
                    Objects.toString(task.holdReason(), null),
                    task.uniqueKey(),
                    task.createdAt(),
                    task.finishedAt(),
                    task.lastCheckpointAt(),
                    task.idempotencyKey(),
                    task.lastError() == null ? null : task.lastError().type());
        }
    }

    record Tasks(
            List<TaskView> tasks, int examined, @Nullable String next) implements OperationResponseBody {}

    record Zombies(int above, List<TaskView> zombies) implements OperationResponseBody {}

    record LeaseView(
            long epoch,
            String worker,
            @Nullable String workerName,
            @Nullable String workerHost,
            @Nullable String workerStatus,
            @Nullable Instant startedAt,
            @Nullable Instant endsAt) {}

    record Story(
            String explanation,
            Instant readAt,
            TaskView task,
            int snoozes,
            @Nullable String schedule,
            @Nullable Instant scheduledFor,
            @Nullable LeaseView lease,
            @Nullable String lastErrorClass,
            List<ErrorView> errors,
            List<IncidentViews.IncidentView> incidents,
            ContentView contents)
            implements OperationResponseBody {

        static Story of(TaskStory found, List<ErrorView> errors, ContentView contents) {
            Task task = found.task();
            return new Story(
                    found.explanation(),
                    found.readAt(),
                    TaskView.of(task),
                    found.snoozes(),
                    found.schedule(),
                    found.scheduledFor(),
                    task.lockedBy() == null
                            ? null
                            : new LeaseView(
                                    task.leaseEpoch(),
                                    task.lockedBy().toString(),
                                    found.ownerName(),
                                    found.ownerHost(),
                                    Objects.toString(found.ownerStatus(), null),
                                    task.lockedAt(),
                                    task.lockTimeoutAt()),
                    lastError(errors),
                    errors,
                    found.incidents().stream()
                            .map(IncidentViews.IncidentView::of)
                            .toList(),
                    contents);
        }

        /** A refused error says nothing about the task. */
        private static @Nullable String lastError(List<ErrorView> errors) {
            return errors.stream()
                    .filter(error -> !error.outcome().equals("REFUSED"))
                    .map(ErrorView::type)
                    .findFirst()
                    .orElse(null);
        }
    }
}
