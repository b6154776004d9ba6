package io.konduit.queue.insert;

import io.konduit.queue.Submission;
import io.konduit.queue.TaskId;
import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.springframework.jdbc.core.ConnectionCallback;

/** Stores thousands of tasks by COPY: the server stores rows while the next ones are being written. */
final class TaskCopy {
    private static final short COLUMNS = 13;
    private static final int PORTION = 64 * 1024;

    /** The origin of PostgreSQL's timestamps. */
    private static final Instant EPOCH = Instant.parse("2000-01-01T00:00:00Z");

    private final QueueDatabase database;
    private final String drawIds;
    private final String copy;

    /**
     * @param ids in the order in which the tasks get them
     * @param nowMicros the time of the first task by the database's clock, in microseconds since {@link #EPOCH}
     */
    private record Drawn(Long[] ids, long nowMicros) {}

    TaskCopy(QueueDatabase database) {
        this.database = database;
        this.drawIds = database.statements().positional("draw-ids");
        this.copy = database.statements().get("enqueue-copy");
    }

    /** Stores tasks without a unique key, all or none; empty when the data source hides the driver. */
    Optional<List<Submission>> insert(List<NewTask> tasks) {
        ConnectionCallback<Optional<List<Submission>>> work = connection -> {
            if (!connection.isWrapperFor(PGConnection.class)) {
                return Optional.empty();
            }
            Drawn drawn = draw(connection, tasks.size());
            copy(connection.unwrap(PGConnection.class), tasks, drawn);
            List<Submission> stored = new ArrayList<>(tasks.size());
            for (Long id : drawn.ids()) {
                stored.add(new Submission(TaskId.of(id), true));
            }
            return Optional.of(stored);
        };
        return database.insertingTemplate().execute(work);
    }

    private Drawn draw(Connection connection, int count) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(drawIds)) {
            statement.setInt(1, count);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Drawn((Long[]) row.getArray("ids").getArray(), row.getLong("now_micros"));
            }
        }
    }

    private void copy(PGConnection connection, List<NewTask> tasks, Drawn drawn) throws SQLException {
        CopyIn stream = connection.getCopyAPI().copyIn(copy);
        try {
            CopyRows rows = new CopyRows();
            for (int i = 0; i < tasks.size(); i++) {
                // each a microsecond later, so that the index never has to compare ids
                write(rows, drawn.ids()[i], tasks.get(i), drawn.nowMicros() + i);
                if (rows.size() >= PORTION) {
                    rows.sendTo(stream);
                }
            }
            rows.end();
            rows.sendTo(stream);
            stream.endCopy();
        } finally {
            if (stream.isActive()) {
                stream.cancelCopy();
            }
        }
    }

    /** In the order of the statement's columns. */
    private static void write(CopyRows rows, long id, NewTask task, long nowMicros) {
        rows.begin(COLUMNS);
        rows.bigint(id);
        rows.text(task.queue());
        rows.text(task.type());
        rows.jsonb(task.payload());
        rows.smallint((short) task.priority());
        rows.text("PENDING");
        rows.bigint(task.runAt() == null ? nowMicros + task.delay().toMillis() * 1_000 : micros(task.runAt()));
        rows.integer(task.maxAttempts());
        rows.bool(task.reapable());
        rows.bigint(task.lockTimeoutMs());
        rows.bigint(task.timeoutMs());
        rows.text(task.traceContext());
        rows.bigint(nowMicros);
    }

    /** Rounded as the driver rounds a parameter. */
    private static long micros(Instant instant) {
        Duration since = Duration.between(EPOCH, instant);
        return since.getSeconds() * 1_000_000 + (since.getNano() + 500) / 1_000;
    }
}
