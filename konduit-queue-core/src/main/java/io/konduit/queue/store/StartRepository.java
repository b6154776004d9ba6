package io.konduit.queue.store;

import io.konduit.queue.TaskId;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** T17: moves the start of waiting tasks. */
public final class StartRepository {
    private final QueueDatabase database;

    public StartRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * A task whose start was moved.
     *
     * @param in how long until it may start
     */
    public record Moved(String queue, Duration in) {
        /** Whether it may start now. */
        public boolean due() {
            return in.isZero();
        }
    }

    /** On behalf of the application; empty when the task does not wait. */
    public Optional<Moved> reschedule(TaskId id, Start start) {
        return database.joining(() -> start.bind(database.application("reschedule"))
                .param("id", id.value())
                .query(StartRepository::moved)
                .optional());
    }

    /** On behalf of an operator, with an audit row; empty when the task does not wait. */
    public Optional<Moved> reschedule(TaskId id, Start start, String actor, @Nullable String note) {
        return database.joining(() -> start.bind(database.application("reschedule-audited"))
                .param("ids", SqlArrays.bigints(List.of(id), TaskId::value))
                .param("actor", actor)
                .param("note", note)
                .query(StartRepository::moved)
                .optional());
    }

    private static Moved moved(ResultSet row, int number) throws SQLException {
        return new Moved(row.getString("queue"), Duration.ofMillis(row.getLong("in_ms")));
    }
}
