package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.host.EmptyDatabase;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class KonduitQueueAutoConfigurationTests {
    @RegisterExtension
    static final EmptyDatabase database = new EmptyDatabase();

    private final ApplicationContextRunner application = database.application(
            KonduitQueueAutoConfiguration.class,
            KonduitQueueInstanceAutoConfiguration.class,
            KonduitQueueWorkerAutoConfiguration.class);

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
