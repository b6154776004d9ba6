package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.test.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;

/** An application as Spring Boot starts it, with everything that is on this class path: JPA, Flyway, Actuator and more. */
class WholeApplicationTests {
    private TestDatabase database;

    @BeforeEach
    void createAnEmptyDatabase() {
        database = TestDatabase.create();
    }

    @AfterEach
    void dropIt() {
        database.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ScriptedJobs.class)
    static class Everything {}

    private SpringApplicationBuilder application(String... properties) {
        return new SpringApplicationBuilder(Everything.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.flyway.locations=classpath:host/migrations")
                .properties(properties);
    }

    @Test
    @Tag("S2")
    void startsOnAnEmptyDatabaseAndRunsTasks() {
        try (ConfigurableApplicationContext context = application().run()) {
            database.installInvariants(null);
            assertThat(context.getBeansOfType(JpaTransactionManager.class)).hasSize(1);
            TaskQueue queue = context.getBean(TaskQueue.class);
            TaskId task = queue.enqueue("scripted.transactional", null);
            await().untilAsserted(
                            () -> assertThat(queue.find(task).map(Task::status)).contains(TaskStatus.COMPLETED));
        }
    }

    @Test
    @Tag("S5")
    @ExtendWith(OutputCaptureExtension.class)
    void aFailedStartPrintsWhatIsWrongAndWhatToDo(CapturedOutput output) {
        SpringApplicationBuilder impossible = application("konduit.queue.worker.heartbeat-interval=4m");
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(impossible::run)
                .withRootCauseInstanceOf(InvalidSettingsException.class);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .containsSubsequence(
                        "Description:",
                        "'konduit.queue.worker.heartbeat-interval' (4m) must be at most a third of 'konduit.queue.lock-timeout' (5m).",
                        "Action:",
                        "Change the named properties so that the rule holds.");
    }
}
