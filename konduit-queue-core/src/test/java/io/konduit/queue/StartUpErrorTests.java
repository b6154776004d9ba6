package io.konduit.queue;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.settings.WorkerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot work is refused before the first task, with an error of its own kind. */
class StartUpErrorTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static ControlPool controlPool;

    @BeforeAll
    static void openPool() {
        controlPool = new ControlPool(harness.testDatabase().dataSource(), 1, Duration.ofSeconds(1));
    }

    @AfterAll
    static void closePool() {
        controlPool.close();
    }

    static class BlankType {
        @JobHandler(" ")
        void handle() {}
    }

    static class ControlCharacterInQueue {
        @JobHandler(value = "ok", queue = "a\u0007b")
        void handle() {}
    }

    @Test
    @Tag("S9")
    void aBlankTypeIsAnInvalidHandler() {
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> QueueHarness.registry(new BlankType()).all())
                .withMessage(
                        "Expected the type of @JobHandler on BlankType.handle to have 1 to 200 characters, but it is blank.");
    }

    @Test
    @Tag("S9")
    void aControlCharacterInAQueueIsAnInvalidHandler() {
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() ->
                        QueueHarness.registry(new ControlCharacterInQueue()).all())
                .withMessageContaining("the queue of @JobHandler on ControlCharacterInQueue.handle")
                .withMessageContaining("U+0007");
    }

    @Test
    @Tag("S5")
    void aBlankQueueNameIsAnImpossibleSetting() {
        WorkerSettings fine = WorkerSettings.defaults();
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> new WorkerSettings(
                        List.of("mail", " "),
                        fine.concurrency(),
                        Map.of(),
                        fine.lockTimeout(),
                        fine.pollInterval(),
                        fine.heartbeatInterval(),
                        Duration.ZERO,
                        fine.warnAfter(),
                        fine.drainTimeout(),
                        fine.listen(),
                        fine.isolateAfter()))
                .withMessageContaining("'konduit.queue.worker.queues'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Jobs", "7jobs", "my-jobs", "a b", "jobs;drop", ""})
    @Tag("S5")
    void aSchemaNameThatNeedsQuotesIsAnImpossibleSetting(String name) {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> new QueueDatabase(harness.testDatabase().dataSource(), controlPool, name))
                .withMessageContaining("'konduit.queue.schema.name'")
                .withMessageEndingWith("but is '" + name + "'.");
    }

    @Test
    @Tag("S3")
    void anUnreachableDatabaseIsNotTakenForMissingTables() {
        try (HikariDataSource nowhere = new HikariDataSource()) {
            nowhere.setJdbcUrl("jdbc:postgresql://localhost:1/nowhere?user=nobody");
            nowhere.setInitializationFailTimeout(-1);
            nowhere.setConnectionTimeout(250);
            assertThatExceptionOfType(DatabaseUnreachableException.class)
                    .isThrownBy(() -> new QueueSchemaMigrator(nowhere, null).verify())
                    .withMessage("The database of the queue cannot be reached.");
        }
    }
}
