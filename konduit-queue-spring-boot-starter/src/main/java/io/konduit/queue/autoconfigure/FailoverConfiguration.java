package io.konduit.queue.autoconfigure;

import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.failover.AcknowledgedTasks;
import io.konduit.queue.failover.FailoverGuard;
import io.konduit.queue.failover.FailoverMonitor;
import io.konduit.queue.failover.FailoverSettings;
import io.konduit.queue.failover.FailoverWatch;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.store.FailoverRepository;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.worker.ServedQueues;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What notices that the database has lost commits. */
@Configuration(proxyBeanMethods = false)
class FailoverConfiguration {
    @Bean
    @ConditionalOnMissingBean
    AcknowledgedTasks konduitAcknowledgedTasks() {
        return new AcknowledgedTasks(System::nanoTime);
    }

    @Bean
    @ConditionalOnMissingBean
    FailoverRepository konduitFailoverRepository(QueueDatabase database) {
        return new FailoverRepository(database);
    }

    /** What retention has removed must not count as lost. */
    @Bean
    @ConditionalOnMissingBean
    FailoverSettings konduitFailoverSettings(KonduitQueueProperties properties, JobHandlerRegistry handlers) {
        Duration kept = properties.retention().completed();
        Duration memory = kept.isZero() || kept.compareTo(FailoverSettings.LONGEST_MEMORY) > 0
                ? FailoverSettings.LONGEST_MEMORY
                : kept;
        boolean beating = properties.worker().enabled() || properties.runsChores();
        boolean pauses = properties.worker().enabled() && properties.failover().pauseQueues();
        List<String> configured = DeclaredQueuesConfiguration.queues(properties.worker());
        return new FailoverSettings(
                beating, memory, pauses ? () -> ServedQueues.of(configured, handlers.all()) : List::of);
    }

    @Bean
    @ConditionalOnMissingBean
    FailoverGuard konduitFailoverGuard(
            FailoverRepository store,
            AcknowledgedTasks acknowledged,
            FailoverSettings settings,
            QueueEvents events,
            ObjectProvider<FailoverMonitor> monitor) {
        return new FailoverGuard(
                store,
                acknowledged,
                settings,
                new FailoverGuard.Surroundings(
                        events,
                        monitor.getIfUnique(() -> FailoverMonitor.NONE),
                        FailoverGuard.Surroundings.ownThread()),
                System::nanoTime);
    }

    /** An instance without a worker and without chores has no beats that would tell. Started with the queue that it watches for. */
    @Bean(destroyMethod = "stop")
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "konduit.queue.worker.enabled", havingValue = "false")
    @ConditionalOnProperty(name = "konduit.queue.chores.enabled", havingValue = "false", matchIfMissing = true)
    FailoverWatch konduitFailoverWatch(
            FailoverRepository store,
            FailoverGuard guard,
            AcknowledgedTasks acknowledged,
            FailoverSettings settings,
            KonduitQueueProperties properties) {
        return new FailoverWatch(
                store, guard, acknowledged, settings, properties.worker().heartbeatInterval(), System::nanoTime);
    }
}
