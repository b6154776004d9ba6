package io.konduit.queue.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Creates the connections of the control pool. While the database is unavailable it keeps trying instead of failing:
 * the pool would retry anyway, and log each failure with its stack. Callers never wait longer for a connection than the
 * pool's timeout.
 */
final class PatientConnections extends AbstractDataSource {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    private static final int CLOSE_SECONDS = 5;

    private final Source source;
    private volatile @Nullable Exception failure;

    /** Creates a connection, or fails. */
    interface Source {
        Connection open() throws SQLException;
    }

    PatientConnections(Source source) {
        this.source = source;
    }

    /** Why the last attempt failed; null when it succeeded. */
    @Nullable
    Exception failure() {
        return failure;
    }

    @Override
    public Connection getConnection() throws SQLException {
        long pause = FIRST_PAUSE_MILLIS;
        while (true) {
            try {
                Connection connection = source.open();
                failure = null;
                return connection;
            } catch (SQLException | RuntimeException e) {
                failure = e;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pause);
            } catch (InterruptedException e) {
                // the pool is being closed
                Thread.currentThread().interrupt();
                throw new SQLException("The control pool is closed.", e);
            }
            pause = Math.min(LONGEST_PAUSE_MILLIS, pause * 2);
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return getConnection();
    }

    /** How long the pool waits for its threads when it is closed; with zero it would log a warning each time. */
    @Override
    public int getLoginTimeout() {
        return CLOSE_SECONDS;
    }

    /** The pool would set it; the driver's own timeouts are set already. */
    @Override
    public void setLoginTimeout(int timeout) {
        // nothing to do
    }
}
