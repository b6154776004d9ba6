package io.konduit.queue.schema;

import io.konduit.queue.SchemaLockedException;
import io.konduit.queue.settings.DurationText;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one transaction in which all missing migrations run.
 *
 * <ol>
 *   <li>Waits for a transaction-level advisory lock, so that instances that start together migrate one after another.
 *   <li>Runs the migrations. A session that waits for a table lock blocks all later ones, so it waits only briefly,
 *       rolls back to the start of the transaction, lets the others through and tries again.
 *   <li>Restores session settings that a migration tool leaves changed, and commits.
 * </ol>
 *
 * <p>If the node dies, the transaction ends and with it the lock, the settings and all partial work.
 */
final class MigrationTransaction {
    private static final Logger log = LoggerFactory.getLogger(MigrationTransaction.class);
    /** Any constant of our own: the first letters of the project's name. */
    static final long LOCK_KEY = 0x6b6f6e64756974L;

    /** Longer than deadlock_timeout (1 s by default): only such a wait makes an autovacuum give way. */
    private static final Duration LONGEST_WAIT = Duration.ofMillis(1_500);

    private static final long FIRST_PAUSE_MILLIS = 500;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String DEADLOCK = "40P01";

    private final Connection connection;
    private final @Nullable String schema;
    private final Duration patience;
    private final long deadline;

    MigrationTransaction(Connection connection, @Nullable String schema, Duration patience) {
        this.connection = connection;
        this.schema = schema;
        this.patience = patience;
        this.deadline = System.nanoTime() + patience.toNanos();
    }

    /**
     * @throws SchemaLockedException if another session holds the tables for too long
     */
    void run(Consumer<DataSource> migrations) throws SQLException {
        connection.setAutoCommit(false);
        boolean committed = false;
        try {
            SessionSettings before = SessionSettings.read(connection);
            allowToWait();
            waitForOthers();
            limitWaits(patience.compareTo(LONGEST_WAIT) < 0 ? patience : LONGEST_WAIT);
            tryUntilDone(migrations);
            before.restore(connection);
            connection.commit();
            committed = true;
        } finally {
            if (!committed) {
                connection.rollback();
            }
        }
    }

    /**
     * The patience limits the wait, and between two attempts the transaction is idle. Set for this transaction only;
     * transaction_timeout exists since PostgreSQL 17.
     */
    private void allowToWait() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("""
                    select set_config(name, '0', true)
                      from pg_settings
                     where name in ('idle_in_transaction_session_timeout', 'statement_timeout', 'transaction_timeout')
                    """);
        }
    }

    private void waitForOthers() throws SQLException {
        limitWaits(patience);
        try (PreparedStatement statement = connection.prepareStatement("select pg_advisory_xact_lock(?)")) {
            statement.setLong(1, LOCK_KEY);
            statement.execute();
        } catch (SQLException e) {
            if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback();
            throw new SchemaLockedException(
                    "Another instance has been updating the tables of the queue for more than "
                            + DurationText.of(patience) + ": "
                            + LockHolders.ofAdvisoryLock(connection, LOCK_KEY) + ".",
                    e);
        }
    }

    private void tryUntilDone(Consumer<DataSource> migrations) throws SQLException {
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            UncommittedConnection attempt = new UncommittedConnection(connection);
            try {
                migrations.accept(attempt);
                return;
            } catch (RuntimeException e) {
                if (!Set.of(LOCK_NOT_AVAILABLE, DEADLOCK).contains(sqlState(e))) {
                    throw e;
                }
                attempt.undo();
                String holders = LockHolders.ofTables(connection, schema);
                if (System.nanoTime() - deadline >= 0) {
                    throw new SchemaLockedException(
                            "The tables of the queue could not be updated within " + DurationText.of(patience)
                                    + ", because they are in use by " + holders + ".",
                            e);
                }
                log.info("The tables of the queue cannot be updated yet: they are in use by {}", holders);
            }
            pause = sleep(pause);
        }
    }

    private static long sleep(long pause) {
        try {
            TimeUnit.MILLISECONDS.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The migration was interrupted.", e);
        }
        return Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
    }

    /** For this transaction only. */
    private void limitWaits(Duration limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select set_config('lock_timeout', ?, true)")) {
            statement.setString(1, limit.toMillis() + "ms");
            statement.execute();
        }
    }

    private static String sqlState(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "";
    }

    /** What Flyway changes in the session, which may belong to a pooler and serve another client next. */
    private record SessionSettings(String searchPath, String role) {
        static SessionSettings read(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row =
                            statement.executeQuery("select current_setting('search_path'), current_setting('role')")) {
                row.next();
                return new SessionSettings(row.getString(1), row.getString(2));
            }
        }

        void restore(Connection connection) throws SQLException {
            try (PreparedStatement statement = connection.prepareStatement(
                    "select set_config('search_path', ?, false), set_config('role', ?, false)")) {
                statement.setString(1, searchPath);
                statement.setString(2, role);
                statement.execute();
            }
        }
    }
}
