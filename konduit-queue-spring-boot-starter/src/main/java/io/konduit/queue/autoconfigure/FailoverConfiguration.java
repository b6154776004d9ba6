package io.konduit.queue.autoconfigure;

import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.failover.AcknowledgedTasks;
import io.konduit.queue.failover.FailoverGuard;
import io.konduit.queue.failover.FailoverSettings;
import io.konduit.queue.failover.FailoverWatch;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.store.FailoverRepository;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Detects that the database has lost commits. */
@Configuration(proxyBeanMethods = false)
class FailoverConfiguration {
    @Bean
    @ConditionalOnMissingBean
    AcknowledgedTasks konduitAcknowledgedTasks(QueueEngine engine) {
        return engine.acknowledged();
    }

    @Bean
    @ConditionalOnMissingBean
    FailoverRepository konduitFailoverRepository(QueueEngine engine) {
        return engine.failoverStore();
    }

    @Bean
    @ConditionalOnMissingBean
    FailoverSettings konduitFailoverSettings(QueueEngine engine) {
        return engine.failoverSettings();
    }

    @Bean
    @ConditionalOnMissingBean
    FailoverGuard konduitFailoverGuard(QueueEngine engine) {
        return engine.failoverGuard();
    }

    /**
     * An instance without a worker or chores has no heartbeats to reveal a loss. Started with the queue that it watches
     * for.
     */
    @Bean(destroyMethod = "stop")
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = PropertyNames.WORKER_ENABLED, havingValue = "false")
    @ConditionalOnProperty(name = PropertyNames.CHORES_ENABLED, havingValue = "false", matchIfMissing = true)
    FailoverWatch konduitFailoverWatch(QueueEngine engine) {
        return engine.failoverWatch();
    }
}
