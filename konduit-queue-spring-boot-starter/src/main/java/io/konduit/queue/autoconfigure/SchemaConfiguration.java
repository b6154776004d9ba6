package io.konduit.queue.autoconfigure;

import io.konduit.queue.jdbc.ApplicationConnections;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.PoolerProbe;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.ServerSessions;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.schema.ServerCheck;
import io.konduit.queue.settings.ControlPoolSettings;
import io.konduit.queue.settings.QueueSettings;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The path to the database: data source, server check, migration, then {@link QueueDatabase}. A {@code QueueDatabase}
 * exists only after its tables do.
 */
@Configuration(proxyBeanMethods = false)
class SchemaConfiguration {

    /** The queue's data source, whose server is known to be supported. */
    record CheckedServer(DataSource dataSource) {}

    /**
     * The schema with all migrations applied and verified.
     *
     * @param name null for the first schema of the search path
     */
    record MigratedSchema(@Nullable String name) {}

    @Bean
    @ConditionalOnMissingBean
    QueueDataSource konduitQueueDataSourceChoice(
            @KonduitQueueDataSource ObjectProvider<DataSource> marked, ObjectProvider<DataSource> any) {
        return QueueDataSource.choose(marked, any);
    }

    /** Checks the server before anything else is sent to it. */
    @Bean
    @ConditionalOnMissingBean
    CheckedServer konduitQueueServerCheck(QueueDataSource dataSource, QueueSettings settings) {
        ServerCheck.check(dataSource.dataSource(), settings.schema().name());
        return new CheckedServer(dataSource.dataSource());
    }

    @Bean
    @ConditionalOnMissingBean
    ServerSessions konduitQueueServerSessions(CheckedServer server) {
        return PoolerProbe.probe(server.dataSource());
    }

    @Bean
    @ConditionalOnMissingBean
    QueueSchemaMigrator konduitQueueSchemaMigrator(
            CheckedServer server, ServerSessions sessions, QueueSettings settings) {
        return new QueueSchemaMigrator(
                server.dataSource(),
                schema(settings, server, sessions),
                settings.schema().lockPatience(),
                sessions);
    }

    /** The application's own migrations run first: Flyway refuses to start in a schema that already has tables. */
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    MigratedSchema konduitQueueSchemaMigration(
            QueueSchemaMigrator migrator, CheckedServer server, ServerSessions sessions, QueueSettings settings) {
        if (settings.schema().initialize()) {
            migrator.migrate();
        }
        migrator.verify();
        return new MigratedSchema(schema(settings, server, sessions));
    }

    /**
     * In a shared session no search path can be set: every name is qualified with the schema of the application's pool.
     */
    private static @Nullable String schema(QueueSettings settings, CheckedServer server, ServerSessions sessions) {
        String name = settings.schema().name();
        return name != null || sessions == ServerSessions.OWN
                ? name
                : ApplicationConnections.schema(server.dataSource());
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    ControlPool konduitQueueControlPool(CheckedServer server, ServerSessions sessions, QueueSettings settings) {
        ControlPoolSettings pool = settings.controlPool();
        return new ControlPool(server.dataSource(), pool.size(), pool.patience(), sessions);
    }

    @Bean
    @ConditionalOnMissingBean
    QueueDatabase konduitQueueDatabase(CheckedServer server, MigratedSchema schema, ControlPool controlPool) {
        return new QueueDatabase(server.dataSource(), controlPool, schema.name());
    }
}
