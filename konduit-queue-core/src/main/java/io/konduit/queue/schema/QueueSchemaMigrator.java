package io.konduit.queue.schema;

import io.konduit.queue.DatabaseUnreachableException;
import io.konduit.queue.SchemaLockedException;
import io.konduit.queue.SchemaMissingException;
import io.konduit.queue.SchemaVersionException;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.ServerSessions;
import io.konduit.queue.settings.SchemaSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.flywaydb.core.api.output.MigrateResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;

/**
 * Brings the tables of the queue to this version, with its own Flyway: own location, own history table, never a
 * bean, so that the application's migrations are left alone.
 *
 * <p>All missing migrations run in one {@link MigrationTransaction}.
 */
public final class QueueSchemaMigrator {
    private static final Logger log = LoggerFactory.getLogger(QueueSchemaMigrator.class);
    private static final String NO_PRIVILEGE = "42501";
    /** How long one statement of a migration may take. */
    private static final Duration STATEMENT_PATIENCE = Duration.ofMinutes(2);

    /** An undefined table, column, schema or function. */
    private static final Set<String> MISSING = Set.of("42P01", "42703", "3F000", "42883");

    private final DataSource application;
    private final @Nullable String schema;
    private final Duration lockPatience;
    private final ServerSessions sessions;
    private final SchemaScripts scripts;

    /** With the defaults of the properties. */
    public QueueSchemaMigrator(DataSource application, @Nullable String schema) {
        this(application, schema, SchemaSettings.defaults().lockPatience(), ServerSessions.OWN);
    }

    /**
     * @param schema where the tables are; null for the first schema of the search path
     * @param lockPatience how long to try to lock the tables while other sessions use them
     */
    public QueueSchemaMigrator(
            DataSource application, @Nullable String schema, Duration lockPatience, ServerSessions sessions) {
        this(application, schema, lockPatience, sessions, SchemaScripts.read());
    }

    QueueSchemaMigrator(
            DataSource application,
            @Nullable String schema,
            Duration lockPatience,
            ServerSessions sessions,
            SchemaScripts scripts) {
        this.application = application;
        this.schema = SchemaSettings.requireName(schema);
        this.lockPatience = lockPatience;
        this.sessions = sessions;
        this.scripts = scripts;
    }

    /**
     * Creates or updates the tables.
     *
     * @throws SchemaLockedException if another session holds them for too long
     */
    public void migrate() {
        ServerCheck.check(application, schema);
        if (isUpToDate()) {
            return;
        }
        try (Connection connection =
                ControlPool.openAlone(application, STATEMENT_PATIENCE.plus(lockPatience), sessions)) {
            new MigrationTransaction(connection, schema, lockPatience).run(this::migrate);
            // the connection may be borrowed
            connection.setAutoCommit(true);
        } catch (SQLException | FlywayException e) {
            throw new SchemaMissingException(
                    "The tables of the queue could not be created in " + location() + ": " + reason(e), e);
        }
    }

    private void migrate(DataSource dataSource) {
        MigrateResult result = QuietFlyway.during(() -> flyway(dataSource).migrate());
        if (result.migrationsExecuted > 0) {
            log.info("The tables of the queue in {} are now at version {}", location(), result.targetSchemaVersion);
        }
    }

    /**
     * Whether the newest script has been run, as the history says. Refuses tables without a history.
     *
     * @throws SchemaVersionException if the tables were created manually
     */
    private boolean isUpToDate() {
        try (Connection connection = application.getConnection()) {
            String where = schema == null ? connection.getSchema() : schema;
            FoundSchema found = FoundSchema.read(connection, where);
            FoundSchema.read(connection, schema).requireUsable();
            found.requireHistory(scripts);
            return found.hasTables()
                    && found.hasRun(connection, scripts.newest())
                    && scripts.isCurrent(found.objects());
        } catch (SQLException e) {
            throw new DatabaseUnreachableException(e);
        }
    }

    /** Fails, with what to do, if the tables do not exist. */
    public void verify() {
        ServerCheck.check(application, schema);
        String prefix = schema == null ? "" : schema + ".";
        FoundSchema found = found();
        found.requireUsable();
        found.requireCurrent(scripts);
        try (Connection connection = application.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("select 1 from " + prefix + "konduit_tasks where false");
            statement.execute("select 1 from " + prefix + "konduit_chore where false");
            // after a restore on another server, this function may ask for what that server does not provide
            statement.execute("select " + prefix + "konduit_timeline()");
        } catch (SQLException e) {
            if (NO_PRIVILEGE.equals(e.getSQLState())) {
                throw new SchemaMissingException(
                        "The user '%s' of the data source may not read the tables of the queue in %s: %s"
                                .formatted(found.user(), location(), e.getMessage()),
                        "Run the grants of 'Database roles' in docs/operating.md for '%s' as the owner of the tables."
                                .formatted(found.user()));
            }
            if (MISSING.contains(e.getSQLState())) {
                throw new SchemaMissingException(
                        "The tables of the queue are not in " + location() + ": " + e.getMessage(), e);
            }
            throw new SchemaMissingException(
                    "The tables of the queue in " + location() + " cannot be read: " + e.getMessage(), e);
        }
    }

    private FoundSchema found() {
        try (Connection connection = application.getConnection()) {
            return FoundSchema.read(connection, schema);
        } catch (SQLException e) {
            throw new DatabaseUnreachableException(e);
        }
    }

    private Flyway flyway(DataSource dataSource) {
        FluentConfiguration configuration = Flyway.configure(QueueSchemaMigrator.class.getClassLoader())
                .dataSource(dataSource)
                .locations(scripts.locations())
                .table(FoundSchema.HISTORY_TABLE)
                // the schema may contain the application's tables: ours start from version 1 all the same
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .placeholderReplacement(false)
                .loggers(QuietFlyway.class.getName())
                .connectRetries(3);
        if (schema != null) {
            configuration.schemas(schema).defaultSchema(schema).createSchemas(true);
        }
        return configuration.load();
    }

    /** Flyway's messages fill a screen; the database's message is in the last cause. */
    private static @Nullable String reason(Exception e) {
        Throwable root = NestedExceptionUtils.getMostSpecificCause(e);
        return root.getMessage();
    }

    private String location() {
        return schema == null ? "the first schema of the search path" : "schema '" + schema + "'";
    }
}
