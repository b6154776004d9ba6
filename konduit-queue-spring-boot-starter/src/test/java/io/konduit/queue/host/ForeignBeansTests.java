package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.TaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

/** What the application has of its own stays as it is, and what it does not have is not missed. */
@Tag("S2")
class ForeignBeansTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc().withUserConfiguration(ScriptedJobs.class);

    @Test
    void noSchedulerOrExecutorIsAdded() {
        application.run(context -> assertThat(context)
                .doesNotHaveBean(TaskScheduler.class)
                .doesNotHaveBean(Executor.class)
                .doesNotHaveBean(LockProvider.class));
    }

    @Test
    void theSchedulerAndExecutorOfSpringBootAreThere() {
        application
                .withConfiguration(AutoConfigurations.of(
                        TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class))
                .withUserConfiguration(Scheduling.class)
                .run(context -> {
                    assertThat(context.getBeanNamesForType(TaskScheduler.class)).containsExactly("taskScheduler");
                    assertThat(context.getBeanNamesForType(TaskExecutor.class)).contains("applicationTaskExecutor");
                });
    }

    @Test
    void theApplicationsSchedulerAndExecutorAreTheOnlyOnes() {
        application
                .withConfiguration(AutoConfigurations.of(
                        TaskExecutionAutoConfiguration.class, TaskSchedulingAutoConfiguration.class))
                .withUserConfiguration(Scheduling.class, OwnThreads.class)
                .run(context -> {
                    assertThat(context.getBeanNamesForType(TaskScheduler.class)).containsExactly("ownScheduler");
                    assertThat(context.getBeanNamesForType(Executor.class))
                            .containsExactlyInAnyOrder("ownScheduler", "ownExecutor");
                    host.awaitStatus(context.getBean(TaskQueue.class).enqueue("scripted", null), "COMPLETED");
                });
    }

    @Test
    void theApplicationsShedLockGoesOnWorking() {
        host.database()
                .execute(
                        "create table if not exists shedlock (name varchar(64) primary key, lock_until timestamp not null,"
                                + " locked_at timestamp not null, locked_by varchar(255) not null)");
        application.withUserConfiguration(OwnShedLock.class).run(context -> {
            Report report = context.getBean(Report.class);
            await().untilAsserted(() -> assertThat(report.runs()).isPositive());
            assertThat(context.getBeanNamesForType(LockProvider.class)).containsExactly("ownLocks");
            assertThat(host.jdbc()
                            .sql("select count(*) from shedlock where name = 'report'")
                            .query(Long.class)
                            .single())
                    .isEqualTo(1);
            host.awaitStatus(context.getBean(TaskQueue.class).enqueue("scripted", null), "COMPLETED");
        });
    }

    @Test
    @Tag("S4")
    void nothingOfActuatorOrMicrometerIsNeeded() {
        new ApplicationContextRunner()
                .withUserConfiguration(AutoConfigured.class, ScriptedJobs.class)
                .withPropertyValues("spring.datasource.url=" + host.database().jdbcUrl())
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.actuate",
                        "org.springframework.boot.health",
                        "org.springframework.boot.micrometer",
                        "io.micrometer.core"))
                .run(context -> {
                    TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
                    host.awaitStatus(task, "COMPLETED");
                    assertThat(context.getBeanDefinitionNames())
                            .contains("konduitTaskQueue")
                            .doesNotContain(
                                    "konduitQueueEndpoint", "konduitQueueMetrics", "konduitQueueHealthIndicator");
                });
    }

    /** As with Spring Boot's DevTools, which load the application's classes apart from the libraries'. */
    @Test
    void aClassLoaderOfTheApplicationsOwnIsNoObstacle() throws Exception {
        try (URLClassLoader own = new URLClassLoader(new URL[0], getClass().getClassLoader())) {
            application.withClassLoader(own).run(context -> {
                TaskQueue queue = context.getBean(TaskQueue.class);
                TaskId task = queue.enqueue("scripted", null);
                host.awaitStatus(task, "COMPLETED");
                assertThat(queue.find(task)).isPresent();
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    @Configuration(proxyBeanMethods = false)
    static class OwnThreads {
        @Bean
        SimpleAsyncTaskScheduler ownScheduler() {
            return new SimpleAsyncTaskScheduler();
        }

        @Bean
        SimpleAsyncTaskExecutor ownExecutor() {
            return new SimpleAsyncTaskExecutor("own-");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    @EnableSchedulerLock(defaultLockAtMostFor = "1m")
    static class OwnShedLock {
        @Bean
        LockProvider ownLocks(JdbcTemplate jdbc) {
            return new JdbcTemplateLockProvider(jdbc);
        }

        @Bean
        Report report() {
            return new Report();
        }
    }

    static class Report {
        private final AtomicInteger runs = new AtomicInteger();

        @Scheduled(fixedDelay = 50)
        @SchedulerLock(name = "report")
        public void write() {
            runs.incrementAndGet();
        }

        public int runs() {
            return runs.get();
        }
    }
}
