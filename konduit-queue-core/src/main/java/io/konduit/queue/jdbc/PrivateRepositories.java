package io.konduit.queue.jdbc;

import io.konduit.queue.TaskId;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.converter.Converter;
import org.springframework.data.convert.ReadingConverter;
import org.springframework.data.convert.WritingConverter;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.core.convert.DataAccessStrategy;
import org.springframework.data.jdbc.core.convert.DataAccessStrategyFactory;
import org.springframework.data.jdbc.core.convert.DefaultJdbcTypeFactory;
import org.springframework.data.jdbc.core.convert.EntityRowMapper;
import org.springframework.data.jdbc.core.convert.JdbcConverter;
import org.springframework.data.jdbc.core.convert.JdbcCustomConversions;
import org.springframework.data.jdbc.core.convert.MappingJdbcConverter;
import org.springframework.data.jdbc.core.convert.QueryMappingConfiguration;
import org.springframework.data.jdbc.core.dialect.JdbcPostgresDialect;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.jdbc.repository.support.JdbcRepositoryFactory;
import org.springframework.data.relational.core.mapping.DefaultNamingStrategy;
import org.springframework.data.relational.core.mapping.RelationalPersistentEntity;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/**
 * Spring Data JDBC built in code. None of it is a bean, so it neither disturbs nor is disturbed by the application's
 * own Spring Data set-up. A query has the name of its statement: {@code @Query(name = "list-audit")}.
 */
public final class PrivateRepositories {
    private final JdbcMappingContext context;
    private final JdbcConverter converter;
    private final JdbcRepositoryFactory factory;

    PrivateRepositories(DataSource dataSource, @Nullable String schema, SqlStatements statements) {
        NamedParameterJdbcTemplate operations = new NamedParameterJdbcTemplate(new FreshlyPlanned(dataSource));
        JdbcPostgresDialect dialect = JdbcPostgresDialect.INSTANCE;
        this.context = JdbcMappingContext.forPlainIdentifiers(new DefaultNamingStrategy() {
            @Override
            public String getSchema() {
                return schema == null ? "" : schema;
            }
        });
        JdbcCustomConversions conversions = JdbcCustomConversions.of(
                dialect,
                List.of(
                        TimestampToInstant.INSTANCE,
                        LongToTaskId.INSTANCE,
                        TaskIdToLong.INSTANCE,
                        MillisToDuration.INSTANCE));
        context.setSimpleTypeHolder(conversions.getSimpleTypeHolder());
        this.converter = new MappingJdbcConverter(
                context,
                (identifier, path) -> {
                    throw new UnsupportedOperationException("Rows of the queue hold no other aggregates: " + path);
                },
                conversions,
                new DefaultJdbcTypeFactory(operations.getJdbcOperations(), dialect.getArraySupport()));
        DataAccessStrategy strategy =
                new DataAccessStrategyFactory(converter, operations, dialect, QueryMappingConfiguration.EMPTY).create();
        this.factory = new JdbcRepositoryFactory(new JdbcAggregateTemplate(converter, strategy));
        this.factory.setNamedQueries(statements);
        // the default is the application's class loader, which may not have our interfaces
        this.factory.setBeanClassLoader(PrivateRepositories.class.getClassLoader());
    }

    public <R> R create(Class<R> repository) {
        return factory.getRepository(repository);
    }

    /** Reads rows of a statement that no repository can name: its variant is chosen at run time, or it takes an array. */
    public <T> RowMapper<T> rows(Class<T> type) {
        @SuppressWarnings("unchecked")
        RelationalPersistentEntity<T> entity =
                (RelationalPersistentEntity<T>) context.getRequiredPersistentEntity(type);
        return new EntityRowMapper<>(entity, converter);
    }

    /** The driver returns timestamps in the JVM's zone; they are converted to instants. */
    @ReadingConverter
    private enum TimestampToInstant implements Converter<Timestamp, Instant> {
        INSTANCE;

        @Override
        public Instant convert(Timestamp source) {
            return source.toInstant();
        }
    }

    @ReadingConverter
    private enum LongToTaskId implements Converter<Long, TaskId> {
        INSTANCE;

        @Override
        public TaskId convert(Long source) {
            return TaskId.of(source);
        }
    }

    /** Makes an id a value, not an entity. */
    @WritingConverter
    private enum TaskIdToLong implements Converter<TaskId, Long> {
        INSTANCE;

        @Override
        public Long convert(TaskId source) {
            return source.value();
        }
    }

    @ReadingConverter
    private enum MillisToDuration implements Converter<Long, Duration> {
        INSTANCE;

        @Override
        public Duration convert(Long source) {
            return Duration.ofMillis(source);
        }
    }
}
