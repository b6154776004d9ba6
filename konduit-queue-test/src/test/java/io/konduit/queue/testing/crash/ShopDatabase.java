package io.konduit.queue.testing.crash;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.test.TestDatabase;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A database of its own for the shop. */
@Configuration(proxyBeanMethods = false)
class ShopDatabase {
    @Bean
    TestDatabase testDatabase() {
        return TestDatabase.create();
    }

    @Bean
    HikariDataSource dataSource(TestDatabase database) {
        return database.newPool(10);
    }
}
