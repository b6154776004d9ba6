package io.konduit.queue.testing;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.test.TestDatabase;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A database of its own for the application of a test, which the starter fills with its tables. */
@Configuration(proxyBeanMethods = false)
class OwnDatabase {
    @Bean
    TestDatabase testDatabase() {
        return TestDatabase.create();
    }

    @Bean
    HikariDataSource dataSource(TestDatabase database) {
        return database.newPool(10);
    }
}
