package io.konduit.queue.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.SQLExceptionOverride;
import com.zaxxer.hikari.pool.HikariPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * A HikariCP pool that logs nothing about its start, its end and its broken connections: the components that notice an
 * outage log what it means.
 */
public final class QuietPool extends AbstractDataSource {
    private final HikariPool pool;
    private final PatientConnections connections;

    QuietPool(HikariConfig config, PatientConnections connections) {
        config.setDataSource(connections);
        // a broken connection is detected before it is handed out again, without a stack trace for each
        config.setExceptionOverride(new LeaveToUs());
        config.validate();
        this.connections = connections;
        this.pool = new HikariPool(config);
    }

    @Override
    public Connection getConnection() throws SQLException {
        while (true) {
            Connection connection = borrow();
            if (!isBroken(connection)) {
                return connection;
            }
            pool.evictConnection(connection);
        }
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return getConnection();
    }

    private Connection borrow() throws SQLException {
        try {
            return pool.getConnection();
        } catch (SQLException e) {
            Exception failure = connections.failure();
            if (failure == null || e.getCause() != null) {
                throw e;
            }
            String state = failure instanceof SQLException sql ? sql.getSQLState() : null;
            throw new SQLTransientConnectionException(e.getMessage(), state, failure);
        }
    }

    /**
     * As the driver knows it, without asking the server. A connection that cannot answer is broken and must be evicted.
     */
    private static boolean isBroken(Connection connection) {
        try {
            return connection.isWrapperFor(PGConnection.class)
                    && connection.unwrap(PGConnection.class) instanceof Connection driver
                    && driver.isClosed();
        } catch (SQLException | RuntimeException e) {
            return true;
        }
    }

    /** Discards the current connections: the next ones handed out are new. */
    public void renew() {
        pool.softEvictConnections();
    }

    void close() {
        try {
            pool.shutdown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The pool logs nothing about failed statements. */
    private static final class LeaveToUs implements SQLExceptionOverride {
        @java.lang.Override
        public SQLExceptionOverride.Override adjudicate(SQLException failure) {
            return SQLExceptionOverride.Override.DO_NOT_EVICT;
        }
    }
}
