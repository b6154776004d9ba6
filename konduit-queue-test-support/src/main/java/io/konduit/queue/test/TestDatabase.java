package io.konduit.queue.test;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A separate database on this JVM's server: empty, or a copy of another one. Closing it drops it. */
public final class TestDatabase implements AutoCloseable {
    private static final Pattern URL = Pattern.compile("(jdbc:postgresql://[^/]+/)([^?]*)(\\?.*)?");
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final String name;
    private final String jdbcUrl;
    private @Nullable HikariDataSource pool;

    private TestDatabase(String name) {
        this.name = name;
        this.jdbcUrl = urlOf(name);
    }

    /** Creates an empty database. */
    public static TestDatabase create() {
        return copyOf(null);
    }

    /** Creates a database as a copy of {@code template}, which must have no open connections. */
    public static TestDatabase copyOf(@Nullable TestDatabase template) {
        String name = "konduit_test_" + ProcessHandle.current().pid() + "_" + NEXT.incrementAndGet();
        String from = template == null ? "template0" : template.name;
        if (template != null) {
            template.closePool();
        }
        admin("create database " + name + " template " + from);
        return new TestDatabase(name);
    }

    /** A transaction that has run this statement and keeps its locks until the connection is rolled back. */
    public Connection locking(String statement) throws SQLException {
        Connection other = connect();
        other.setAutoCommit(false);
        try (Statement lock = other.createStatement()) {
            lock.execute(statement);
        }
        return other;
    }

    public String name() {
        return name;
    }

    /** The address with user and password in it. */
    public String jdbcUrl() {
        return jdbcUrl;
    }

    /** The server, for another JVM that creates databases of its own there: its KONDUIT_TEST_JDBC_URL. */
    public String serverUrl() {
        return PostgresServer.adminUrl();
    }

    /** A pool of ten connections, created on first use. */
    public synchronized DataSource dataSource() {
        if (pool == null) {
            pool = newPool(10);
        }
        return pool;
    }

    /** Another pool on the same database; the caller closes it. */
    public HikariDataSource newPool(int size) {
        HikariDataSource created = new HikariDataSource();
        created.setJdbcUrl(jdbcUrl);
        created.setMaximumPoolSize(size);
        created.setMinimumIdle(0);
        created.setPoolName(name);
        return created;
    }

    /** A connection outside any pool, for races between sessions. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl);
    }

    /** Runs statements on a separate connection. */
    public void execute(String... statements) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("A test statement failed: " + e.getMessage(), e);
        }
    }

    /** Installs the trigger that rejects every transition not in the design; {@code schema} is null for the default one. */
    public void installInvariants(@Nullable String schema) {
        String text = resource("invariants.sql");
        execute(text.replace("${schema}", schema == null ? "" : schema + "."));
    }

    /** The server processes of sessions that listen for tasks: they have said so last, or hold the witness of a worker. */
    public List<Integer> listeners() {
        String sql = "select a.pid from pg_stat_activity a where a.datname = current_database()"
                + " and (a.query = 'listen konduit_task' or exists (select from pg_locks l where l.pid = a.pid"
                + " and l.locktype = 'advisory' and l.classid = to_regclass('konduit_worker')::oid)) order by a.pid";
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<Integer> listeners = new ArrayList<>();
            while (rows.next()) {
                listeners.add(rows.getInt(1));
            }
            return listeners;
        } catch (SQLException e) {
            throw new IllegalStateException("The listening sessions could not be read: " + e.getMessage(), e);
        }
    }

    /** Ends every other session of this database, as a network failure would. */
    public void killConnections() {
        admin("select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + name
                + "' and pid <> pg_backend_pid()");
    }

    private synchronized void closePool() {
        if (pool != null) {
            pool.close();
            pool = null;
        }
    }

    @Override
    public void close() {
        closePool();
        admin("drop database if exists " + name + " with (force)");
    }

    private static String urlOf(String database) {
        Matcher url = URL.matcher(PostgresServer.adminUrl());
        if (!url.matches()) {
            throw new IllegalArgumentException(
                    "The test database's address must look like jdbc:postgresql://host:port/database?user=...&password=...");
        }
        return url.group(1) + database + Objects.requireNonNullElse(url.group(3), "");
    }

    private static void admin(String sql) {
        try (Connection connection = DriverManager.getConnection(PostgresServer.adminUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    private static String resource(String file) {
        try (InputStream in = TestDatabase.class.getResourceAsStream(file)) {
            return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(file, e);
        }
    }
}
