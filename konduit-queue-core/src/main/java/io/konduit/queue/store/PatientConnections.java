package io.konduit.queue.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Makes the connections of the control pool. While the database is away it goes on trying instead of failing: the pool
 * would try again all the same, and log each failure with its stack. Whoever wants a connection does not wait longer for
 * it than the pool's timeout.
 */
final class PatientConnections extends AbstractDataSource {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    private static final int CLOSE_SECONDS = 5;

    private final Source source;
    private volatile @Nullable Exception failure;

    /** Makes a connection, or fails. */
    interface Source {
        Connection open() throws SQLException;
    }

    PatientConnections(Source source) {
        this.source = source;
    }

    /** Why the last try has failed; null when it has not. */
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

    /** For so long the pool waits for its threads when it is closed; with zero it would log a warning each time. */
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
