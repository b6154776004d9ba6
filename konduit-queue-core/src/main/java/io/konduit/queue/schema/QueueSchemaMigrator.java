package io.konduit.queue.schema;

import io.konduit.queue.SchemaMissingException;
import io.konduit.queue.UnsupportedDatabaseException;
import io.konduit.queue.store.ControlPool;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessResourceFailureException;

/**
 * Brings the tables of the queue to this version, with a Flyway of its own: own location, own history table, never a
 * bean, so that the application's migrations are left alone.
 *
 * <ol>
 *   <li>Waits for a transaction-level advisory lock, so that instances which start together go one after another. If
 *       the node dies, its connection ends and the lock with it.
 *   <li>Runs the missing migrations, each in its transaction. If the node dies, the next one starts at that migration.
 * </ol>
 */
public final class QueueSchemaMigrator {
    private static final Logger log = LoggerFactory.getLogger(QueueSchemaMigrator.class);
    private static final String LOCATION = "classpath:io/konduit/queue/db";
    private static final String HISTORY_TABLE = "konduit_schema_history";
    private static final int OLDEST_SERVER = 14;
    /** Any constant of our own: the first letters of the project's name. */
    private static final long LOCK_KEY = 0x6b6f6e64756974L;

    /** An undefined table, schema or function. */
    private static final Set<String> MISSING = Set.of("42P01", "3F000", "42883");

    private static final int CONNECTIONS = 4;

    private final DataSource application;
    private final @Nullable String schema;

    public QueueSchemaMigrator(DataSource application, @Nullable String schema) {
        this.application = application;
        this.schema = schema;
    }

    /** Creates or updates the tables. */
    public void migrate() {
        requirePostgres();
        try (ControlPool pool = new ControlPool(application, CONNECTIONS, Duration.ofMinutes(2));
                Connection lock = pool.dataSource().getConnection()) {
            lock.setAutoCommit(false);
            try (PreparedStatement statement = lock.prepareStatement("select pg_advisory_xact_lock(?)")) {
                statement.setLong(1, LOCK_KEY);
                statement.execute();
            }
            flyway(pool.dataSource()).migrate();
            lock.rollback();
        } catch (SQLException | FlywayException e) {
            throw new SchemaMissingException(
                    "The tables of the queue could not be created in " + place() + ": " + reason(e), e);
        }
        log.debug("The tables of the queue are there{}", schema == null ? "" : " in schema " + schema);
    }

    /** Fails with what to do when the tables are not there. */
    public void verify() {
        requirePostgres();
        String prefix = schema == null ? "" : schema + ".";
        try (Connection connection = application.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select 1 from " + prefix + "konduit_tasks where false");
            statement.execute("select 1 from " + prefix + "konduit_chore where false");
            // restored on another server, it may ask for what that one does not tell
            statement.execute("select " + prefix + "konduit_timeline()");
        } catch (SQLException e) {
            if (MISSING.contains(e.getSQLState())) {
                throw new SchemaMissingException(
                        "The tables of the queue are not in " + place() + ": " + e.getMessage(), e);
            }
            throw new SchemaMissingException(
                    "The tables of the queue in " + place() + " cannot be read: " + e.getMessage(), e);
        }
    }

    private Flyway flyway(DataSource dataSource) {
        FluentConfiguration configuration = Flyway.configure(QueueSchemaMigrator.class.getClassLoader())
                .dataSource(dataSource)
                .locations(LOCATION)
                .table(HISTORY_TABLE)
                // the schema may hold the application's tables: ours start from version 1 all the same
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .placeholderReplacement(false)
                .connectRetries(3);
        if (schema != null) {
            configuration.schemas(schema).defaultSchema(schema).createSchemas(true);
        }
        return configuration.load();
    }

    private void requirePostgres() {
        try (Connection connection = application.getConnection()) {
            String product = connection.getMetaData().getDatabaseProductName();
            int version = connection.getMetaData().getDatabaseMajorVersion();
            if (!"PostgreSQL".equals(product)) {
                throw new UnsupportedDatabaseException("The queue needs PostgreSQL " + OLDEST_SERVER
                        + " or later, but the data source is " + product + " " + version + ".");
            }
            if (version < OLDEST_SERVER) {
                throw new UnsupportedDatabaseException("The queue needs PostgreSQL " + OLDEST_SERVER
                        + " or later, but the server is version " + version + ".");
            }
        } catch (SQLException e) {
            throw new DataAccessResourceFailureException("The database of the queue cannot be reached.", e);
        }
    }

    /** Flyway's messages fill a screen; what the database said is in the last cause. */
    private static @Nullable String reason(Exception e) {
        Throwable root = NestedExceptionUtils.getMostSpecificCause(e);
        return root.getMessage();
    }

    private String place() {
        return schema == null ? "the first schema of the search path" : "schema '" + schema + "'";
    }
}
