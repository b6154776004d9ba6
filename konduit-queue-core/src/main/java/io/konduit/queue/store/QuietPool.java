package io.konduit.queue.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.SQLExceptionOverride;
import com.zaxxer.hikari.pool.HikariPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * A HikariCP pool that says nothing of its start, its end and its broken connections: what an outage means is said by
 * those who notice it.
 */
final class QuietPool extends AbstractDataSource {
    private final HikariPool pool;
    private final PatientConnections connections;

    QuietPool(HikariConfig config, PatientConnections connections) {
        config.setDataSource(connections);
        // a connection that broke is found out before it is lent again, without a stack trace of each
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

    /** As the driver knows it, without asking the server. One that cannot even tell is broken: it must not stay lent. */
    private static boolean isBroken(Connection connection) {
        try {
            return connection.isWrapperFor(PGConnection.class)
                    && connection.unwrap(PGConnection.class) instanceof Connection driver
                    && driver.isClosed();
        } catch (SQLException | RuntimeException e) {
            return true;
        }
    }

    /** Connections that are lent from now on are new ones. */
    void renew() {
        pool.softEvictConnections();
    }

    void close() {
        try {
            pool.shutdown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Nothing that a statement meets is told by the pool. */
    private static final class LeaveToUs implements SQLExceptionOverride {
        @java.lang.Override
        public SQLExceptionOverride.Override adjudicate(SQLException failure) {
            return SQLExceptionOverride.Override.DO_NOT_EVICT;
        }
    }
}
