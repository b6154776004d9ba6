package io.konduit.queue.jdbc;

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
 * A small pool of the queue's own connections to the application's database, so that no lease is lost when the
 * application has exhausted its pool.
 *
 * <p>It connects as the application does: address, user and driver come from the application's HikariCP pool. From any
 * other data source it borrows connections permanently, which reserves them in the same way.
 */
public final class ControlPool implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ControlPool.class);

    private final @Nullable QuietPool pool;
    private final DataSource connections;
    private final int size;
    private final DataSource application;
    private final @Nullable HikariConfig source;
    private final Properties driverProperties;
    private final int statementSeconds;
    private final ServerSessions sessions;

    /** With connections that have their own server sessions. */
    public ControlPool(DataSource application, int size, Duration patience) {
        this(application, size, patience, ServerSessions.OWN);
    }

    /**
     * @param size how many connections
     * @param patience how long a statement may go without an answer before its connection counts as dead
     * @param sessions in shared sessions nothing is set that would leak to other clients
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
        this.connections = pool;
    }

    /** On top of connections that are already pooled, which the caller closes. */
    ControlPool(DataSource connections, Duration patience) {
        this.application = connections;
        this.sessions = ServerSessions.OWN;
        this.source = null;
        this.statementSeconds = (int) Math.max(1, patience.toSeconds() - 1);
        this.driverProperties = driverProperties(patience, statementSeconds);
        this.size = 1;
        this.pool = null;
        this.connections = connections;
    }

    /** One connection configured like those of the pool, but outside any pool; the caller closes it. */
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
        return connections;
    }

    /** Discards the current connections: the next ones handed out are new. */
    public void renew() {
        if (pool != null) {
            pool.renew();
        }
    }

    /** How many statements can run at once. */
    public int size() {
        return size;
    }

    /** After this time a statement is cancelled on the server, while this side still reads from its connection. */
    int statementSeconds() {
        return statementSeconds;
    }

    /** Whether a connection has its own server session. */
    public ServerSessions sessions() {
        return sessions;
    }

    /** A connection outside the pool, for waiting on notifications; the caller closes it. */
    public Connection openDedicated(Duration patience) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(driverProperties);
        // waits for notifications for longer than a statement may take
        properties.remove("socketTimeout");
        // and without that limit, a server that accepts the connection and then goes silent would be awaited forever
        String seconds = Long.toString(Math.max(1, Math.min(patience.toSeconds(), connectSeconds(properties))));
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("loginTimeout", seconds);
        return ApplicationConnections.open(application, properties);
    }

    private static long connectSeconds(Properties properties) {
        return Long.parseLong(properties.getProperty("connectTimeout"));
    }

    @Override
    public void close() {
        if (pool != null) {
            pool.close();
        }
    }

    private void prepare(HikariConfig config) {
        if (source == null) {
            log.info(
                    "The queue's data source is not a HikariCP pool: the control path permanently reserves some of its connections.");
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
        // A server executes the statement even if its client is gone, so it is asked to cancel it first.
        properties.setProperty("socketTimeout", Long.toString(Math.max(statementSeconds + 1, patience.toSeconds())));
        properties.setProperty("cancelSignalTimeout", "1");
        properties.setProperty("connectTimeout", seconds);
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("ApplicationName", "konduit-queue");
        // Planned on each execution: a plan made while the table was empty must not outlive that, and a transaction
        // pooler then needs no prepared statements of ours. A statement serves many tasks, so planning costs little in
        // comparison.
        properties.setProperty("prepareThreshold", "0");
        return properties;
    }
}
