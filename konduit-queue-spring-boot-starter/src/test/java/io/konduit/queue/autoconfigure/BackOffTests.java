package io.konduit.queue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.JobHandler;
import io.konduit.queue.RetryPolicy;
import io.konduit.queue.Submission;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.host.HostApplication;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.worker.WorkerLifecycle;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AnnotatedElementUtils;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

@Tag("S4")
class BackOffTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc().withUserConfiguration(MailJobs.class);

    record WelcomeMail(String mailAddress) {}

    /** A queue of the application's own: what it does does not matter here. */
    static class OwnQueue implements TaskQueue {
        @Override
        public TaskId enqueue(String type, Object payload) {
            return TaskId.of(1);
        }

        @Override
        public TaskId enqueue(TaskRequest request) {
            return TaskId.of(1);
        }

        @Override
        public List<TaskId> enqueueAll(Collection<TaskRequest> requests) {
            return List.of();
        }

        @Override
        public Submission submit(TaskRequest request) {
            return new Submission(TaskId.of(1), true);
        }

        @Override
        public Optional<Task> find(TaskId id) {
            return Optional.empty();
        }

        @Override
        public boolean cancel(TaskId id) {
            return false;
        }

        @Override
        public boolean reschedule(TaskId id, Instant runAt) {
            return false;
        }
    }

    static class MailJobs {
        @JobHandler("mail")
        void send(WelcomeMail mail) {
            throw new IllegalStateException("no mail server");
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("beanMethods")
    void everyBeanBacksOff(Method method) {
        assertThat(AnnotatedElementUtils.hasAnnotation(method, ConditionalOnMissingBean.class))
                .as(method + " has @ConditionalOnMissingBean")
                .isTrue();
        assertThat(Modifier.isPublic(method.getModifiers()))
                .as(method + " is public")
                .isFalse();
    }

    static List<Method> beanMethods() {
        List<Method> methods = new ArrayList<>();
        for (Class<?> configuration : HostApplication.starter()) {
            Stream.of(
                            Stream.of(configuration),
                            Arrays.stream(configuration.getDeclaredClasses()),
                            imported(configuration))
                    .flatMap(classes -> classes)
                    .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                    .filter(method -> AnnotatedElementUtils.hasAnnotation(method, Bean.class))
                    .forEach(methods::add);
        }
        assertThat(methods).hasSizeGreaterThan(20);
        return methods;
    }

    private static Stream<Class<?>> imported(Class<?> configuration) {
        Import imports = configuration.getAnnotation(Import.class);
        return imports == null ? Stream.empty() : Arrays.stream(imports.value());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("configurations")
    void everyAutoConfigurationIsPublicAndFinal(Class<?> configuration) {
        assertThat(configuration).isPublic().isFinal();
    }

    static Class<?>[] configurations() {
        return HostApplication.starter();
    }

    @Test
    void theApplicationsTaskQueueTakesThePlaceOfOurs() {
        TaskQueue own = new OwnQueue();
        application.withBean("ownQueue", TaskQueue.class, () -> own).run(context -> assertThat(context)
                .hasNotFailed()
                .getBean(TaskQueue.class)
                .isSameAs(own));
    }

    @Test
    void theApplicationsRetryPolicyDecides() {
        application
                .withBean(
                        "ownPolicy",
                        RetryPolicy.class,
                        () -> RetryPolicy.exponential(1, Duration.ZERO, 1, Duration.ZERO, 0))
                .run(context -> {
                    TaskId task = context.getBean(TaskQueue.class).enqueue("mail", new WelcomeMail("ada"));
                    host.awaitStatus(task, "FAILED");
                    assertThat(attempts(task)).isEqualTo(1);
                });
    }

    @Test
    void theApplicationsPayloadConverterWritesPayloads() {
        PayloadConverter own = new PayloadConverter(JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
                .build());
        application
                .withBean("ownConverter", PayloadConverter.class, () -> own)
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .run(context -> {
                    TaskId task = context.getBean(TaskQueue.class).enqueue("mail", new WelcomeMail("ada"));
                    assertThat(payload(task)).isEqualTo("{\"mail-address\": \"ada\"}");
                });
    }

    @Test
    void everyPartThatNeedsAReplacedOneGetsTheApplications() {
        OutageGuard own = new OutageGuard(Duration.ofSeconds(10), System::nanoTime);
        own.failed();
        application.withBean("ownGuard", OutageGuard.class, () -> own).run(context -> {
            assertThat(context).hasNotFailed().getBean(OutageGuard.class).isSameAs(own);
            assertThat(context.getBean(OrphanReclaimer.class).reclaimOnce().postponed())
                    .as("the reaper asks it")
                    .isPositive();
        });
    }

    @Test
    void payloadsAreWrittenAsTheApplicationSetsUpJackson() {
        application
                .withPropertyValues(
                        "spring.jackson.property-naming-strategy=SNAKE_CASE", "konduit.queue.worker.enabled=false")
                .run(context -> {
                    TaskId task = context.getBean(TaskQueue.class).enqueue("mail", new WelcomeMail("ada"));
                    assertThat(payload(task)).isEqualTo("{\"mail_address\": \"ada\"}");
                });
    }

    @Test
    void nothingOfTheQueueIsThereWhenItIsSwitchedOff() {
        application
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues("konduit.queue.enabled=false")
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .doesNotHaveBean(TaskQueue.class)
                            .doesNotHaveBean(WorkerLifecycle.class);
                    assertThat(context.getBeanDefinitionNames()).noneMatch(name -> name.startsWith("konduit"));
                });
    }

    @Test
    void nothingOfTheQueueIsThereWithoutADataSource() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(HostApplication.starter()))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(TaskQueue.class);
                    assertThat(context.getBeanDefinitionNames()).noneMatch(name -> name.startsWith("konduit"));
                });
    }

    private static int attempts(TaskId task) {
        return host.jdbc()
                .sql("select attempts from konduit_tasks where id = :id")
                .param("id", task.value())
                .query(Integer.class)
                .single();
    }

    private static String payload(TaskId task) {
        return host.jdbc()
                .sql("select payload::text from konduit_tasks where id = :id")
                .param("id", task.value())
                .query(String.class)
                .single();
    }
}
