package io.konduit.queue.simulation;

import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.test.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The database of all simulations of this JVM: real tables, triggers and statements, and a clock that stands still. */
final class SimulatedDatabase implements AutoCloseable {
    /** 2030-01-01. */
    static final long EPOCH_MICROS = 1_893_456_000_000_000L;

    private static final int RESETS_TO_TRUNCATE = 50;

    private final TestDatabase database;
    private final String url;
    private final ArrayDeque<Connection> idle = new ArrayDeque<>();
    private final Connection observer;
    private final PreparedStatement observe;
    private long resets;

    /** A committed change, or a broken invariant. */
    record Change(
            long n,
            String what,
            long taskId,
            @Nullable String oldStatus,
            @Nullable String newStatus,
            long oldEpoch,
            long newEpoch,
            @Nullable UUID oldOwner,
            @Nullable UUID newOwner,
            int oldZombies,
            int newZombies,
            @Nullable Long oldEndMicros,
            @Nullable Long newEndMicros,
            @Nullable Long runAtMicros,
            @Nullable Long progressMicros,
            boolean reapable,
            int attemptsAdded,
            int unchargedAdded,
            @Nullable Long checkpointBy,
            long atMicros,
            @Nullable String detail) {

        boolean is(String from, String to) {
            return from.equals(oldStatus) && to.equals(newStatus);
        }
    }

    SimulatedDatabase() {
        database = TestDatabase.create();
        new QueueSchemaMigrator(database.dataSource(), null).migrate();
        database.installInvariants(null);
        database.execute(
                resource(), "alter database " + database.name() + " set search_path = simulation, pg_catalog, public");
        // no real waiting for locks: who would wait in this world hears of it at once. One plan for each statement,
        // which
        // nothing changes, so that the order of rows repeats.
        url = database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?")
                + "prepareThreshold=1&options=-c%20lock_timeout=2%20-c%20jit=off"
                + "%20-c%20plan_cache_mode=force_generic_plan%20-c%20enable_seqscan=off%20-c%20enable_bitmapscan=off";
        try {
            observer = DriverManager.getConnection(url);
            observe = observer.prepareStatement("select * from simulation.observe(?, ?)");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String resource() {
        try (InputStream in = SimulatedDatabase.class.getResourceAsStream("simulation.sql")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Empties everything and sets the clock. */
    void reset() {
        boolean whole = resets++ % RESETS_TO_TRUNCATE == 0;
        execute("select simulation.reset(" + EPOCH_MICROS + ", " + whole + ")");
    }

    /** The server has come up at that time. */
    void restartedAt(long micros) {
        execute("select setval('simulation.started', " + micros + ")");
    }

    void execute(String sql) {
        try (Statement statement = observer.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /** Rows of a query of one column. */
    List<Long> longs(String sql) {
        try (Statement statement = observer.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<Long> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getLong(1));
            }
            return values;
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /** The status of every task. */
    Map<Long, String> statuses() {
        try (Statement statement = observer.createStatement();
                ResultSet rows = statement.executeQuery("select id, status from konduit_tasks")) {
            Map<Long, String> values = new TreeMap<>();
            while (rows.next()) {
                values.put(rows.getLong(1), rows.getString(2));
            }
            return values;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sets the clock, and tells what was committed since the last look; one round trip. */
    List<Change> observe(long micros, int quarantineAfter) {
        try {
            observe.setLong(1, micros);
            observe.setInt(2, quarantineAfter);
            try (ResultSet rows = observe.executeQuery()) {
                if (!rows.next()) {
                    return List.of();
                }
                List<Change> changes = new ArrayList<>();
                do {
                    changes.add(change(rows));
                } while (rows.next());
                changes.sort(Comparator.comparingLong(change -> change.n() == 0 ? Long.MAX_VALUE : change.n()));
                return changes;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The observer failed", e);
        }
    }

    private static Change change(ResultSet row) throws SQLException {
        return new Change(
                row.getLong("n"),
                row.getString("what"),
                row.getLong("task_id"),
                row.getString("old_status"),
                row.getString("new_status"),
                row.getLong("old_epoch"),
                row.getLong("new_epoch"),
                row.getObject("old_owner", UUID.class),
                row.getObject("new_owner", UUID.class),
                row.getInt("old_zombies"),
                row.getInt("new_zombies"),
                micros(row, "old_end"),
                micros(row, "new_end"),
                micros(row, "run_at"),
                micros(row, "progress_at"),
                row.getBoolean("reapable"),
                row.getInt("attempts_added"),
                row.getInt("uncharged_added"),
                row.getObject("checkpoint_by", Long.class),
                Objects.requireNonNull(micros(row, "at")),
                row.getString("detail"));
    }

    private static @Nullable Long micros(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toEpochSecond() * 1_000_000 + time.getNano() / 1_000;
    }

    /** A session of the server. */
    Connection lend() throws SQLException {
        return idle.isEmpty() ? DriverManager.getConnection(url) : idle.pop();
    }

    /** Ends what the session had open, and keeps it for the next one. */
    void giveBack(Connection connection, boolean listening) {
        try {
            if (listening) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("select pg_advisory_unlock_all()");
                }
            }
            if (!connection.getAutoCommit()) {
                connection.rollback();
                connection.setAutoCommit(true);
            }
            if (connection.isReadOnly()) {
                connection.setReadOnly(false);
            }
            idle.push(connection);
        } catch (SQLException e) {
            throw new IllegalStateException("A session could not be reset", e);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
