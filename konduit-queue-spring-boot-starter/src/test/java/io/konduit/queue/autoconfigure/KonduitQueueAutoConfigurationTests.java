package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.test.TestDatabase;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class KonduitQueueAutoConfigurationTests {
    private static TestDatabase database;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    JdbcTemplateAutoConfiguration.class,
                    TransactionAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    KonduitQueueAutoConfiguration.class,
                    KonduitQueueInstanceAutoConfiguration.class,
                    KonduitQueueWorkerAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=" + database.jdbcUrl());

    @BeforeAll
    static void createDatabase() {
        database = TestDatabase.create();
    }

    @AfterAll
    static void dropDatabase() {
        database.close();
    }

    @Configuration(proxyBeanMethods = false)
    static class Greetings {
        @Bean
        Greeter greeter() {
            return new Greeter();
        }
    }

    static class Greeter {
        final Queue<String> greeted = new ConcurrentLinkedQueue<>();

        @JobHandler("greet")
        void greet(String name) {
            greeted.add(name);
        }
    }

    @Test
    void runsATaskInAPlainJdbcApplication() {
        application.withUserConfiguration(Greetings.class).run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            TaskId id = queue.enqueue("greet", "Ada");
            await().untilAsserted(() -> assertThat(queue.find(id))
                    .hasValueSatisfying(task -> assertThat(task.status()).isEqualTo(TaskStatus.COMPLETED)));
            assertThat(context.getBean(Greeter.class).greeted).containsExactly("Ada");
        });
    }
}
