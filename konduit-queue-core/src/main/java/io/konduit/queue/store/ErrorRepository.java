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

    /** The same tasks, with the last error of those that have failed. */
    public List<Task> withLastErrors(Collection<Task> tasks) {
        Map<TaskId, TaskError> errors = tasks.isEmpty() ? Map.of() : lastErrors(tasks);
        return tasks.stream()
                .map(task -> task.withLastError(errors.get(task.id())))
                .toList();
    }

    private Map<TaskId, TaskError> lastErrors(Collection<Task> tasks) {
        return database
                .application("find-last-errors")
                .param("ids", SqlArrays.bigints(tasks, task -> task.id().value()))
                .query(database.repositories().rows(LastErrorRow.class))
                .list()
                .stream()
                .collect(Collectors.toMap(LastErrorRow::taskId, LastErrorRow::error));
    }
}
