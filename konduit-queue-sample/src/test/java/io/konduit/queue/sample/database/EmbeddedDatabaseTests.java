package io.konduit.queue.sample.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.sample.SampleApplication;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

class EmbeddedDatabaseTests {

    /** One for all tests, because making a database takes seconds. Each test leaves it stopped. */
    @TempDir
    private static Path folder;

    @Test
    void applicationFindsTheTasksOfItsLastRun() {
        TaskId task;
        try (ConfigurableApplicationContext first = application("--konduit.queue.worker.enabled=false")) {
            task = first.getBean(TaskQueue.class)
                    .enqueue("welcome-mail", Map.of("customer", 1, "to", "ada@example.org"));
        }
        assertThat(folder.resolve("data/postmaster.pid")).doesNotExist();
        try (ConfigurableApplicationContext second = application()) {
            TaskQueue queue = second.getBean(TaskQueue.class);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> queue.find(task).orElseThrow().status() == TaskStatus.COMPLETED);
        }
    }

    @Test
    void isDurableAndRefusesASecondApplication() throws Exception {
        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            assertThat(ask(database, "show server_version")).startsWith(EmbeddedDatabase.VERSION + ".");
            for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
                assertThat(ask(database, "show " + setting)).as(setting).isEqualTo("on");
            }
            assertThatExceptionOfType(EmbeddedDatabaseException.class)
                    .isThrownBy(() -> EmbeddedDatabase.start(folder))
                    .withMessage("The sample is running already, with its data in " + folder + ".")
                    .satisfies(refusal -> assertThat(refusal.action())
                            .isEqualTo(
                                    "Stop it first, or start this one as a second worker, with --server.port=8081 --spring.datasource.url="
                                            + database.jdbcUrl()));
        }
    }

    @Test
    void goesOnWithTheServerThatAKilledApplicationLeftBehind() throws Exception {
        // not closed before the application starts: as if its JVM had been killed
        EmbeddedPostgres left = EmbeddedPostgres.builder()
                .setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false)
                .start();

        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            assertThat(database.jdbcUrl()).contains(":" + left.getPort() + "/");
            assertThat(ask(database, "select 1")).isEqualTo("1");
        }
        assertThat(folder.resolve("data/postmaster.pid")).doesNotExist();
        // the lock of the library, which a killed JVM would not hold
        left.close();
    }

    @Test
    void startsOverAFileThatNoServerStandsBehind() throws Exception {
        EmbeddedDatabase.start(folder).close();
        long notPostgres = ProcessHandle.current().pid();
        Files.write(
                folder.resolve("data/postmaster.pid"),
                List.of(Long.toString(notPostgres), folder.resolve("data").toString(), "0", "5432"));

        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            assertThat(ask(database, "select 1")).isEqualTo("1");
        }
    }

    @Test
    void saysThatTheDataIsOfAnotherVersion(@TempDir Path old) throws IOException {
        Files.createDirectories(old.resolve("data"));
        Files.writeString(old.resolve("data/PG_VERSION"), "17\n");

        assertThatExceptionOfType(EmbeddedDatabaseException.class)
                .isThrownBy(() -> EmbeddedDatabase.start(old))
                .withMessage("The data in " + old.resolve("data")
                        + " was written by PostgreSQL 17, but the sample has PostgreSQL 18.")
                .satisfies(refusal -> assertThat(refusal.action()).contains("Delete the folder"));
    }

    private ConfigurableApplicationContext application(String... more) {
        SpringApplication application = new SpringApplication(SampleApplication.class);
        String[] arguments = new String[more.length + 2];
        arguments[0] = "--server.port=0";
        arguments[1] = "--sample.postgres-folder=" + folder;
        System.arraycopy(more, 0, arguments, 2, more.length);
        return application.run(arguments);
    }

    private static String ask(EmbeddedDatabase database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.jdbcUrl());
                ResultSet answer = connection.createStatement().executeQuery(sql)) {
            assertThat(answer.next()).isTrue();
            return answer.getString(1);
        }
    }
}
