package io.konduit.queue.host;

import io.konduit.queue.test.TestDatabase;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;

/** A database without tables for one test class, and applications on it that have the defaults of every setting. */
public final class EmptyDatabase implements BeforeAllCallback, AfterAllCallback {
    private TestDatabase database;

    @Override
    public void beforeAll(ExtensionContext context) {
        database = TestDatabase.create();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        database.close();
    }

    public TestDatabase get() {
        return database;
    }

    /** What {@code spring-boot-starter-jdbc} and Jackson bring, and these auto-configurations of the starter. */
    public ApplicationContextRunner application(Class<?>... ofTheStarter) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JacksonAutoConfiguration.class))
                .withConfiguration(AutoConfigurations.of(ofTheStarter))
                .withPropertyValues("spring.datasource.url=" + database.jdbcUrl());
    }
}
