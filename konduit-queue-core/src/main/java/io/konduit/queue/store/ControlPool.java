package io.konduit.queue.store;

import com.zaxxer.hikari.HikariConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A small pool of the queue's own to the application's database, so that an application that has used up its
 * connections loses no lease.
 *
 * <p>It connects as the application does: address, user and driver are taken from the application's HikariCP pool.
 * From any other data source the connections are borrowed for good, which reserves them in the same way.
 */
public final class ControlPool implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ControlPool.class);

    private final QuietPool pool;
    private final int size;
    private final DataSource application;
    private final @Nullable HikariConfig source;
    private final Properties driverProperties;
    private final int statementSeconds;
    private final ServerSessions sessions;

    /** With connections that have sessions of the server for themselves. */
    public ControlPool(DataSource application, int size, Duration patience) {
        this(application, size, patience, ServerSessions.OWN);
    }

    /**
     * @param size how many connections
     * @param patience how long a statement may go without an answer before its connection counts as dead
     * @param sessions in shared ones nothing is set that would stay behind for other clients
     */
    public ControlPool(DataSource application, int size, Duration patience, ServerSessions sessions) {
        this.application = application;
        this.sessions = sessions;
        this.source = ApplicationConnections.hikari(application);
        this.statementSeconds = (int) Math.max(1, patience.toSeconds() - 1);
        this.driverProperties = driverProperties(patience, statementSeconds);
        this.size = size;
        HikariConfig config = new HikariConfig();
        prepare(config);
        config.setPoolName("konduit-control");
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setAutoCommit(true);
        config.setReadOnly(false);
        if (sessions == ServerSessions.OWN) {
            config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        }
        config.setConnectionTimeout(Math.max(250, patience.toMillis()));
        config.setValidationTimeout(Math.max(250, Math.min(5_000, patience.toMillis() / 2)));
        config.setInitializationFailTimeout(-1);
        this.pool = new QuietPool(config, new PatientConnections(this::open));
    }

    /** One connection as those of the pool are, outside of any pool; the caller closes it. */
    public static Connection openAlone(DataSource application, Duration patience, ServerSessions sessions)
            throws SQLException {
        int seconds = (int) Math.max(1, patience.toSeconds() - 1);
        Connection connection = ApplicationConnections.open(application, driverProperties(patience, seconds));
        try {
            HikariConfig source = ApplicationConnections.hikari(application);
            connection.setReadOnly(false);
            if (sessions == ServerSessions.OWN && source != null) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                if (source.getSchema() != null) {
                    connection.setSchema(source.getSchema());
                }
                if (source.getConnectionInitSql() != null) {
                    try (Statement statement = connection.createStatement()) {
                        statement.execute(source.getConnectionInitSql());
                    }
                }
            }
            return connection;
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    public DataSource dataSource() {
        return pool;
    }

    /** Connections that are lent from now on are new ones. */
    public void renew() {
        pool.renew();
    }

    /** How many statements can be under way at once. */
    public int size() {
        return size;
    }

    /** After this time a statement is cancelled on the server, while its connection is still listened to. */
    int statementSeconds() {
        return statementSeconds;
    }

    /** Whether a connection has a session of the server for itself. */
    ServerSessions sessions() {
        return sessions;
    }

    /** A connection outside the pool, for waiting on notifications; the caller closes it. */
    Connection openDedicated() throws SQLException {
        Properties properties = new Properties();
        properties.putAll(driverProperties);
        // it waits for notifications for longer than a statement may take
        properties.remove("socketTimeout");
        return ApplicationConnections.open(application, properties);
    }

    @Override
    public void close() {
        pool.close();
    }

    private void prepare(HikariConfig config) {
        if (source == null) {
            log.info(
                    "The queue's data source is not a HikariCP pool: the control path keeps connections of it for itself.");
        } else if (sessions == ServerSessions.OWN) {
            config.setSchema(source.getSchema());
            config.setConnectionInitSql(source.getConnectionInitSql());
        } else if (source.getConnectionInitSql() != null) {
            log.warn(
                    "The pool's connection-init-sql is not run for the queue's own connections: what it sets would stay behind in sessions that the pooler shares. Set it for the database user instead (alter role ... set ...).");
        }
    }

    private Connection open() throws SQLException {
        return ApplicationConnections.openOwn(application, driverProperties);
    }

    private static Properties driverProperties(Duration patience, int statementSeconds) {
        Properties properties = new Properties();
        String seconds = Long.toString(Math.max(1, patience.toSeconds()));
        // A server whose client has gone away carries the statement out all the same: it is told to cancel it first.
        properties.setProperty("socketTimeout", Long.toString(Math.max(statementSeconds + 1, patience.toSeconds())));
        properties.setProperty("cancelSignalTimeout", "1");
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "konduit-queue");
        // Planned anew each time: a plan made while the table was empty must not outlive it, and a transaction pooler
        // needs no prepared statements of ours. A statement serves many tasks, so the planning is small beside it.
        properties.setProperty("prepareThreshold", "0");
        return properties;
    }
}
