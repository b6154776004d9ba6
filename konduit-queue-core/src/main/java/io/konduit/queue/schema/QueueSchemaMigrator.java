package io.konduit.queue.schema;

import io.konduit.queue.DurationText;
import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.SchemaLockedException;
import io.konduit.queue.SchemaMissingException;
import io.konduit.queue.store.ControlPool;
import io.konduit.queue.store.ServerSessions;
import java.sql.Connection;
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

/**
 * Brings the tables of the queue to this version, with a Flyway of its own: own location, own history table, never a
 * bean, so that the application's migrations are left alone.
 *
 * <p>All missing migrations run in one {@link MigrationTransaction}.
 */
public final class QueueSchemaMigrator {
    private static final Logger log = LoggerFactory.getLogger(QueueSchemaMigrator.class);
    private static final String LOCATION = "classpath:io/konduit/queue/db";
    private static final String HISTORY_TABLE = "konduit_schema_history";
    private static final Duration LOCK_PATIENCE = Duration.ofMinutes(1);
    /** How long one statement of a migration may take. */
    private static final Duration STATEMENT_PATIENCE = Duration.ofMinutes(2);

    /** An undefined table, column, schema or function. */
    private static final Set<String> MISSING = Set.of("42P01", "42703", "3F000", "42883");

    private final DataSource application;
    private final @Nullable String schema;
    private final Duration lockPatience;
    private final ServerSessions sessions;

    public QueueSchemaMigrator(DataSource application, @Nullable String schema) {
        this(application, schema, LOCK_PATIENCE, ServerSessions.OWN);
    }

    /**
     * @param schema where the tables are; null for the first schema of the search path
     * @param lockPatience how long to try to get the tables from others who use them
     */
    public QueueSchemaMigrator(
            DataSource application, @Nullable String schema, Duration lockPatience, ServerSessions sessions) {
        if (lockPatience.toMillis() <= 0) {
            throw new InvalidSettingsException("'konduit.queue.schema.lock-patience' (%s) must be longer than 0."
                    .formatted(DurationText.of(lockPatience)));
        }
        this.application = application;
        this.schema = schema;
        this.lockPatience = lockPatience;
        this.sessions = sessions;
    }

    /**
     * Creates or updates the tables.
     *
     * @throws SchemaLockedException if somebody else holds them for too long
     */
    public void migrate() {
        ServerCheck.check(application, schema);
        try (ControlPool pool = new ControlPool(application, 1, STATEMENT_PATIENCE.plus(lockPatience), sessions);
                Connection connection = pool.dataSource().getConnection()) {
            new MigrationTransaction(connection, schema, lockPatience)
                    .run(dataSource -> flyway(dataSource).migrate());
        } catch (SQLException | FlywayException e) {
            throw new SchemaMissingException(
                    "The tables of the queue could not be created in " + place() + ": " + reason(e), e);
        }
        log.debug("The tables of the queue are there{}", schema == null ? "" : " in schema " + schema);
    }

    /** Fails with what to do when the tables are not there. */
    public void verify() {
        ServerCheck.check(application, schema);
        String prefix = schema == null ? "" : schema + ".";
        try (Connection connection = application.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select 1 from " + prefix + "konduit_tasks where false");
            statement.execute("select 1 from " + prefix + "konduit_chore where false");
            // restored on another server, it may ask for what that one does not tell
            statement.execute("select " + prefix + "konduit_timeline()");
            // of the newest script
            statement.execute("select uncharged from " + prefix + "konduit_task where false");
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

    /** Flyway's messages fill a screen; what the database said is in the last cause. */
    private static @Nullable String reason(Exception e) {
        Throwable root = NestedExceptionUtils.getMostSpecificCause(e);
        return root.getMessage();
    }

    private String place() {
        return schema == null ? "the first schema of the search path" : "schema '" + schema + "'";
    }
}
