package io.konduit.queue.autoconfigure;

import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.recovery.OutageGuard;
import io.konduit.queue.store.QueueDatabase;
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

/** What an instance needs that runs tasks or chores, or both. */
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

    /** What the build wrote into build-info.properties, else the manifest of the application's jar, which Spring Boot reads. */
    private static @Nullable String applicationVersion(@Nullable BuildProperties build, Environment environment) {
        String built = build == null ? null : build.getVersion();
        return built != null ? built : environment.getProperty("spring.application.version");
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerRepository konduitWorkerRepository(QueueDatabase database) {
        return new WorkerRepository(database);
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerRegistry konduitWorkerRegistry(
            WorkerRepository workers, WorkerIdentity identity, OutageGuard guard, QueueEvents events) {
        return new WorkerRegistry(workers, identity, guard, events, System::nanoTime);
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

        @ConditionalOnProperty(name = "konduit.queue.worker.enabled", matchIfMissing = true)
        static final class Worker {}

        @Conditional(OnChores.class)
        static final class Chores {}
    }
}
