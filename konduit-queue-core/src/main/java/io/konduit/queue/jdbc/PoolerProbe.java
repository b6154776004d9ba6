package io.konduit.queue.jdbc;

import io.konduit.queue.DatabaseUnreachableException;
import io.konduit.queue.UnsupportedDatabaseException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects at start-up whether a pooler such as PgBouncer shares server sessions between its clients. Refuses a pooler
 * that does not keep their prepared statements apart: wrong statements would run, and acknowledged work would be
 * missing.
 *
 * <ol>
 *   <li>Without a pooler the driver's process id equals {@code pg_backend_pid()}. Most applications are done here,
 *       after one statement.
 *   <li>Otherwise it opens connections until two of them have used one session, or one of them has used two. A session
 *       pooler never shows that.
 *   <li>In a shared session the driver's names of prepared statements must not be visible unchanged: the next client
 *       uses the same names.
 * </ol>
 */
public final class PoolerProbe implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PoolerProbe.class);
    /**
     * Two poolers may share one address: with one more connection than poolers, two certainly share one. Not more,
     * because a session pooler may have few sessions, and other clients wait for them.
     */
    private static final int MAX_CONNECTIONS = 3;

    private static final int MAX_BORROWED = 2;
    private static final String FIRST_SECONDS = "10";
    /** The pooler has answered before, so a timeout now means that it has no free session. */
    private static final String FURTHER_SECONDS = "3";

    private final DataSource application;
    private final List<Client> clients = new ArrayList<>();
    private int asked;

    private PoolerProbe(DataSource application) {
        this.application = application;
    }

    /**
     * @throws UnsupportedDatabaseException if the pooler would mix up statements, or the queue cannot do its work
     *     without session settings
     * @throws DatabaseUnreachableException if the database does not answer
     */
    public static ServerSessions probe(DataSource application) {
        try (PoolerProbe probe = new PoolerProbe(application)) {
            if (probe.driverKnowsItsSession() || !probe.sessionsAreShared()) {
                return ServerSessions.OWN;
            }
            log.info("A pooler shares server sessions between its clients: the queue leaves no state behind in them.");
            probe.requireSafeStatements();
            probe.requireReadCommitted();
            return ServerSessions.SHARED;
        } catch (SQLException e) {
            throw new DatabaseUnreachableException(e);
        }
    }

    private boolean driverKnowsItsSession() throws SQLException {
        try (Connection connection = application.getConnection()) {
            PGConnection driver = driver(connection);
            return driver != null && driver.getBackendPID() == session(connection);
        }
    }

    private boolean sessionsAreShared() throws SQLException {
        int limit = ApplicationConnections.canOpen(application) ? MAX_CONNECTIONS : MAX_BORROWED;
        while (clients.size() < limit) {
            if (!addClient()) {
                return false;
            }
            // twice for the newest: a pooler that rotates its sessions would otherwise look as if it kept them
            clients.get(clients.size() - 1).visit();
            for (Client client : clients) {
                client.visit();
            }
            if (haveMet()) {
                return true;
            }
        }
        return false;
    }

    /** A pooler without a session left for another client does not share them. */
    private boolean addClient() throws SQLException {
        Properties timeouts = new Properties();
        String seconds = clients.isEmpty() ? FIRST_SECONDS : FURTHER_SECONDS;
        timeouts.setProperty("connectTimeout", seconds);
        timeouts.setProperty("socketTimeout", seconds);
        try {
            Connection connection = ApplicationConnections.open(application, timeouts);
            try {
                connection.setAutoCommit(true);
                session(connection);
            } catch (SQLException e) {
                connection.close();
                throw e;
            }
            clients.add(new Client(connection));
            return true;
        } catch (SQLException e) {
            if (!clients.isEmpty()) {
                log.debug("No further connection for the pooler check", e);
                return false;
            }
            throw e;
        }
    }

    private boolean haveMet() {
        Set<Integer> all = new HashSet<>();
        int sum = 0;
        for (Client client : clients) {
            if (client.sessions.size() > 1) {
                return true;
            }
            all.addAll(client.sessions);
            sum += client.sessions.size();
        }
        return all.size() < sum;
    }

    private void requireSafeStatements() throws SQLException {
        PGConnection driver = driver(clients.get(0).connection);
        if (driver != null && driver.getPrepareThreshold() == 0) {
            return;
        }
        String problem =
                PreparedStatementProbe.problem(clients.get(0).connection, clients.get(clients.size() - 1).connection);
        if (problem != null) {
            throw new UnsupportedDatabaseException(
                    "The pooler between the application and PostgreSQL shares sessions but does not know prepared"
                            + " statements, and the driver uses them: a client would run another client's statements, and lose work that it believes committed. Found: "
                            + problem + ".",
                    "Add prepareThreshold=0 to 'spring.datasource.url', in every application behind this pooler. Or use"
                            + " PgBouncer 1.21 or later with max_prepared_statements above 0.");
        }
    }

    /** On its own connections the queue would set the level, but that would stay in the shared session. */
    private void requireReadCommitted() throws SQLException {
        String level = ask(clients.get(0).connection, "select current_setting('default_transaction_isolation')");
        if (!"read committed".equals(level)) {
            throw new UnsupportedDatabaseException(
                    "The queue needs transactions that are READ COMMITTED, but behind this pooler they are "
                            + level.toUpperCase(Locale.ROOT)
                            + ", and changing that for the queue would also change it for other clients of the pooler.",
                    "Set default_transaction_isolation to 'read committed' for the user of the data source (alter role ... set default_transaction_isolation = 'read committed'), and request other levels per transaction. A level that was set on a pooled connection stays there: remove 'spring.datasource.hikari.transaction-isolation' and restart the pooler.");
        }
    }

    private int session(Connection connection) throws SQLException {
        // a new text each time: the driver must not prepare it
        return Integer.parseInt(ask(connection, "select pg_backend_pid() /* " + asked++ + " */"));
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    private static @Nullable PGConnection driver(Connection connection) throws SQLException {
        return connection.isWrapperFor(PGConnection.class) ? connection.unwrap(PGConnection.class) : null;
    }

    @Override
    public void close() {
        for (Client client : clients) {
            try {
                client.connection.close();
            } catch (SQLException e) {
                log.debug("A connection of the pooler check could not be closed", e);
            }
        }
    }

    /** One client of the pooler, and the server sessions it has used. */
    private final class Client {
        final Connection connection;
        final Set<Integer> sessions = new HashSet<>();

        Client(Connection connection) {
            this.connection = connection;
        }

        void visit() throws SQLException {
            sessions.add(session(connection));
        }
    }
}
