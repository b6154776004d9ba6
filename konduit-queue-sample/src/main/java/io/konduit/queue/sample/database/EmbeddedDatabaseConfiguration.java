package io.konduit.queue.sample.database;

import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Starts a PostgreSQL when {@code spring.datasource.url} names none. It stops last, after the queue and the connection pool. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnExpression("!environment.containsProperty('spring.datasource.url')")
class EmbeddedDatabaseConfiguration {

    @Bean
    EmbeddedDatabase embeddedDatabase(@Value("${sample.postgres-folder}") Path folder) {
        return EmbeddedDatabase.start(folder);
    }

    /** Spring Boot creates its data source from this instead of {@code spring.datasource.*}. */
    @Bean
    JdbcConnectionDetails embeddedDatabaseConnection(EmbeddedDatabase database) {
        return new JdbcConnectionDetails() {
            @Override
            public String getJdbcUrl() {
                return database.jdbcUrl();
            }

            @Override
            public String getUsername() {
                return EmbeddedDatabase.USER;
            }

            @Override
            public String getPassword() {
                return "";
            }
        };
    }
}
