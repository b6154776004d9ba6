package io.konduit.queue.testing;

import io.konduit.queue.Priority;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The tasks in the database of a test, waiting or done. AssertJ knows it: {@code
 * assertThat(tasks).ofType("welcome-mail").hasSize(1)}. A test in a transaction also sees what it has enqueued itself.
 */
public final class EnqueuedTasks implements AssertProvider<EnqueuedTasksAssert> {
    private final QueueDatabase database;
    private final PayloadConverter converter;
    private final JdbcClient jdbc;

    private EnqueuedTasks(QueueDatabase database, PayloadConverter converter) {
        this.database = database;
        this.converter = converter;
        this.jdbc = JdbcClient.create(database.application());
    }

    /** The tasks of the application of this context. */
    public static EnqueuedTasks in(ListableBeanFactory context) {
        return new EnqueuedTasks(context.getBean(QueueDatabase.class), context.getBean(PayloadConverter.class));
    }

    /** All tasks, in the order in which they were enqueued. */
    public List<EnqueuedTask> all() {
        return jdbc.sql("select id, type, queue, status, priority, run_at, unique_key, payload from "
                        + database.table("konduit_tasks") + " order by created_at, id")
                .query(EnqueuedTasks::task)
                .list();
    }

    /** The payload of a task, read as a handler would. */
    public <T> @Nullable T payload(EnqueuedTask task, Class<T> type) {
        return type.cast(converter.read(task.payload(), type, "the payload of type '" + task.type() + "'"));
    }

    /**
     * Deletes every task and its history, so that a test begins with an empty queue.
     *
     * @param allowedDatabases names of databases that are for tests, although they do not contain "test"
     * @throws IllegalStateException if the database does not look like one for tests
     */
    public void deleteAll(String... allowedDatabases) {
        TestPreconditions.requireTestDatabase(database, Set.of(allowedDatabases));
        for (String table :
                List.of("konduit_task", "konduit_task_history", "konduit_task_incident", "konduit_task_error")) {
            jdbc.sql("delete from " + database.table(table)).update();
        }
    }

    /** Use AssertJ's {@code assertThat(tasks)}. */
    @Override
    public EnqueuedTasksAssert assertThat() {
        return new EnqueuedTasksAssert(this);
    }

    private static EnqueuedTask task(ResultSet row, int number) throws SQLException {
        return new EnqueuedTask(
                TaskId.of(row.getLong("id")),
                row.getString("type"),
                row.getString("queue"),
                TaskStatus.valueOf(row.getString("status")),
                Priority.ofLevel(row.getInt("priority")),
                row.getObject("run_at", OffsetDateTime.class).toInstant(),
                row.getString("unique_key"),
                row.getString("payload"));
    }
}
