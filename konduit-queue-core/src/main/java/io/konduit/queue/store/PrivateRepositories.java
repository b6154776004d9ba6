package io.konduit.queue.store;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.converter.Converter;
import org.springframework.data.convert.ReadingConverter;
import org.springframework.data.jdbc.core.JdbcAggregateTemplate;
import org.springframework.data.jdbc.core.convert.DataAccessStrategy;
import org.springframework.data.jdbc.core.convert.DataAccessStrategyFactory;
import org.springframework.data.jdbc.core.convert.DefaultJdbcTypeFactory;
import org.springframework.data.jdbc.core.convert.JdbcCustomConversions;
import org.springframework.data.jdbc.core.convert.MappingJdbcConverter;
import org.springframework.data.jdbc.core.convert.QueryMappingConfiguration;
import org.springframework.data.jdbc.core.dialect.JdbcPostgresDialect;
import org.springframework.data.jdbc.core.mapping.JdbcMappingContext;
import org.springframework.data.jdbc.repository.support.JdbcRepositoryFactory;
import org.springframework.data.relational.core.mapping.DefaultNamingStrategy;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/**
 * Spring Data JDBC built in code. Nothing of it is a bean, so the application's own Spring Data set-up neither sees it
 * nor is switched off by it.
 */
final class PrivateRepositories {
    private final JdbcRepositoryFactory factory;

    PrivateRepositories(DataSource dataSource, @Nullable String schema) {
        NamedParameterJdbcTemplate operations = new NamedParameterJdbcTemplate(new FreshlyPlanned(dataSource));
        JdbcPostgresDialect dialect = JdbcPostgresDialect.INSTANCE;
        JdbcMappingContext context = JdbcMappingContext.forPlainIdentifiers(new DefaultNamingStrategy() {
            @Override
            public String getSchema() {
                return schema == null ? "" : schema;
            }
        });
        JdbcCustomConversions conversions =
                JdbcCustomConversions.of(dialect, List.of(TimestampToInstantConverter.INSTANCE));
        context.setSimpleTypeHolder(conversions.getSimpleTypeHolder());
        MappingJdbcConverter converter = new MappingJdbcConverter(
                context,
                (identifier, path) -> {
                    throw new UnsupportedOperationException("Rows of the queue hold no other aggregates: " + path);
                },
                conversions,
                new DefaultJdbcTypeFactory(operations.getJdbcOperations(), dialect.getArraySupport()));
        DataAccessStrategy strategy =
                new DataAccessStrategyFactory(converter, operations, dialect, QueryMappingConfiguration.EMPTY).create();
        this.factory = new JdbcRepositoryFactory(new JdbcAggregateTemplate(converter, strategy));
        // the application's loader, which is the default, may not be the one that has our interfaces
        this.factory.setBeanClassLoader(PrivateRepositories.class.getClassLoader());
    }

    <R> R create(Class<R> repository) {
        return factory.getRepository(repository);
    }

    /** The driver gives timestamps in the JVM's zone; what they mean is the instant. */
    @ReadingConverter
    private enum TimestampToInstantConverter implements Converter<Timestamp, Instant> {
        INSTANCE;

        @Override
        public Instant convert(Timestamp source) {
            return source.toInstant();
        }
    }
}
