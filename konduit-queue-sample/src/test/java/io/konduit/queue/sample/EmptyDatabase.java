package io.konduit.queue.sample;

import io.konduit.queue.test.TestDatabase;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.test.context.DynamicPropertyRegistry;

/** A database without tables for the application of one test class, instead of the sample's own. */
final class EmptyDatabase implements BeforeAllCallback, AfterAllCallback {
    private TestDatabase database;

    @Override
    public void beforeAll(ExtensionContext context) {
        database = TestDatabase.create();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        database.close();
    }

    void use(DynamicPropertyRegistry registry) {
        registry.add("spring.datasource.url", () -> database.jdbcUrl());
    }
}
