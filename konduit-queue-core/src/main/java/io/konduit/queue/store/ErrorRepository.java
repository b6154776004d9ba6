package io.konduit.queue.store;

import io.konduit.queue.Task;
import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Why attempts failed. */
public final class ErrorRepository {
    /** How many errors of a task are kept. */
    public static final int MAX_PER_TASK = 20;

    private final QueueDatabase database;

    public ErrorRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * The error of one attempt.
     *
     * @param message may quote the payload
     * @param stack without messages of the application
     * @param outcome RETRIED, FAILED, INTERRUPTED (left to the reaper) or REFUSED (its lease was lost, so it changed nothing)
     */
    public record AttemptError(
            int attempt, String type, @Nullable String message, String stack, String outcome, UUID worker, Instant at) {

        /** The message is left out: it may quote the payload. */
        @Override
        public String toString() {
            return "AttemptError[attempt=" + attempt + ", type=" + type + ", outcome=" + outcome + ", at=" + at + "]";
        }
    }

    /** The errors of a task, newest first. */
    public List<AttemptError> of(TaskId id) {
        return database.application("list-errors")
                .param("taskId", id.value())
                .param("most", MAX_PER_TASK)
                .query((row, number) -> new AttemptError(
                        row.getInt("attempt"),
                        row.getString("type"),
                        row.getString("message"),
                        row.getString("stack"),
                        row.getString("outcome"),
                        row.getObject("worker", UUID.class),
                        row.getTimestamp("at").toInstant()))
                .list();
    }

    /** The same tasks, those that have failed with their last error. */
    public List<Task> withLastErrors(Collection<Task> tasks) {
        Map<TaskId, TaskError> errors = new HashMap<>();
        if (!tasks.isEmpty()) {
            database.application("find-last-errors")
                    .param("ids", SqlArrays.bigints(tasks, task -> task.id().value()))
                    .query((row, number) -> errors.put(TaskId.of(row.getLong("task_id")), error(row)))
                    .list();
        }
        return tasks.stream()
                .map(task -> task.withLastError(errors.get(task.id())))
                .toList();
    }

    private static TaskError error(ResultSet row) throws SQLException {
        return new TaskError(
                row.getString("type"),
                row.getString("message"),
                row.getInt("attempt"),
                row.getTimestamp("at").toInstant());
    }
}
