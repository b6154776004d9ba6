package io.konduit.queue.store;

import io.konduit.queue.Task;
import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;
import io.konduit.queue.admin.AttemptError;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Why attempts failed. */
public final class ErrorRepository {
    /** How many errors of a task are kept. */
    public static final int MAX_PER_TASK = 20;

    private final QueueDatabase database;

    public ErrorRepository(QueueDatabase database) {
        this.database = database;
    }

    /** The errors of a task, newest first. */
    public List<AttemptError> of(TaskId id) {
        return database.application("list-errors")
                .param("taskId", id.value())
                .param("limit", MAX_PER_TASK)
                .query(database.repositories().rows(AttemptError.class))
                .list();
    }

    /** The rows as tasks, each with its newest error. */
    public List<Task> toTasks(Collection<TaskRow> rows) {
        Map<TaskId, TaskError> errors = rows.isEmpty() ? Map.of() : lastErrors(rows);
        return rows.stream()
                .map(row -> row.toTask(errors.get(TaskId.of(row.id()))))
                .toList();
    }

    private Map<TaskId, TaskError> lastErrors(Collection<TaskRow> rows) {
        return database
                .application("find-last-errors")
                .param("ids", SqlArrays.bigints(rows, TaskRow::id))
                .query(database.repositories().rows(LastErrorRow.class))
                .list()
                .stream()
                .collect(Collectors.toMap(LastErrorRow::taskId, LastErrorRow::error));
    }
}
