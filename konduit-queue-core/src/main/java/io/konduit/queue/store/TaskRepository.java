package io.konduit.queue.store;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.jdbc.QueueDatabase;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads, cancels and reschedules tasks for the application, in its transaction. */
public final class TaskRepository {
    private final QueueDatabase database;
    private final TaskRows rows;
    private final ErrorRepository errors;
    private final Cancellation cancellation;

    public TaskRepository(QueueDatabase database) {
        this(database, ControlMessages.none(database));
    }

    /** @param messages called when a cancelled task was running */
    public TaskRepository(QueueDatabase database, ControlMessages messages) {
        this.database = database;
        this.cancellation = new Cancellation(database, messages);
        this.errors = new ErrorRepository(database);
        this.rows = database.repositories().create(TaskRows.class);
    }

    /** Reads a task, live or finished. A second statement runs only when the task has failed before. */
    public Optional<Task> find(TaskId id) {
        return rows.findById(id.value())
                .map(row -> row.lastError() == null
                        ? row.toTask(null)
                        : errors.toTasks(List.of(row)).get(0));
    }

    /** Moves the start of waiting tasks. */
    public StartRepository starts() {
        return new StartRepository(database);
    }

    /** T11; false when the task does not exist or has ended. */
    public boolean cancel(TaskId id, String actor, @Nullable String note) {
        return database.inTransaction(() -> cancellation.cancel(List.of(id.value()), actor, note) == 1);
    }
}
