package io.konduit.queue.autoconfigure;

import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.schedule.ScheduleClock;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.worker.KeepAlive;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerRegistry;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;

/** The parts of an instance that runs tasks, chores or both. */
@AutoConfiguration(after = KonduitQueueAutoConfiguration.class)
@ConditionalOnBean(QueueDatabase.class)
@Conditional(KonduitQueueInstanceAutoConfiguration.OnWorkerOrChores.class)
public final class KonduitQueueInstanceAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    WorkerIdentity konduitWorkerIdentity(
            KonduitQueueProperties properties, Environment environment, ObjectProvider<BuildProperties> build) {
        String name = properties.worker().name();
        return WorkerIdentity.create(
                name != null ? name : environment.getProperty("spring.application.name", "application"),
                applicationVersion(build.getIfUnique(), environment));
    }

    /**
     * The version from build-info.properties, else from the manifest of the application's jar, which Spring Boot reads.
     */
    private static @Nullable String applicationVersion(@Nullable BuildProperties build, Environment environment) {
        String built = build == null ? null : build.getVersion();
        return built != null ? built : environment.getProperty("spring.application.version");
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerRepository konduitWorkerRepository(QueueEngine engine) {
        return engine.workers();
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerRegistry konduitWorkerRegistry(QueueEngine engine) {
        return engine.registry();
    }

    @Bean
    @ConditionalOnMissingBean
    ScheduleClock konduitScheduleClock(QueueEngine engine) {
        return engine.scheduleClock();
    }

    @Bean
    @ConditionalOnMissingBean
    KeepAlive konduitKeepAlive() {
        return new KeepAlive();
    }

    /** Whether this instance does more than enqueue. */
    static final class OnWorkerOrChores extends AnyNestedCondition {
        OnWorkerOrChores() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnProperty(name = PropertyNames.WORKER_ENABLED, matchIfMissing = true)
        static final class Worker {}

        @Conditional(OnChores.class)
        static final class Chores {}
    }
}
