package io.konduit.queue.operator;

import io.konduit.queue.test.TestDatabase;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** One application and its database for the tests of a class. The tables are empty before each test. */
final class OperatedApplication implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback {
    private final Function<TestDatabase, RunningApplication> start;
    private @Nullable TestDatabase database;
    private @Nullable RunningApplication application;

    private OperatedApplication(Function<TestDatabase, RunningApplication> start) {
        this.start = start;
    }

    /** Without Spring Security. */
    static OperatedApplication of(List<Class<?>> sources, String... properties) {
        return new OperatedApplication(database -> RunningApplication.start(database, sources, properties));
    }

    /** With Spring Security; the sources say who may do what. */
    static OperatedApplication secured(List<Class<?>> sources, String... properties) {
        return new OperatedApplication(database -> RunningApplication.startSecured(database, sources, properties));
    }

    /** The user "ada" with this role, and a guest; the password of each is the name. */
    static UserDetailsService adaAndGuest(String role) {
        return new InMemoryUserDetailsManager(user("ada", role), user("guest", "GUEST"));
    }

    private static UserDetails user(String name, String role) {
        return User.withUsername(name).password("{noop}" + name).roles(role).build();
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        database = TestDatabase.create();
        application = start.apply(database);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        rows().clear();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (application != null) {
            application.close();
        }
        if (database != null) {
            database.close();
        }
    }

    TestDatabase database() {
        return Objects.requireNonNull(database);
    }

    RunningApplication application() {
        return Objects.requireNonNull(application);
    }

    Rows rows() {
        return new Rows(database());
    }
}
