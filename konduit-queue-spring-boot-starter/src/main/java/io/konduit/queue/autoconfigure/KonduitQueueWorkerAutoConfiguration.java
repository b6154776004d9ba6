package io.konduit.queue.autoconfigure;

import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.worker.LeaseFence;
import io.konduit.queue.worker.WorkerLifecycle;
import io.konduit.queue.worker.WorkerStop;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** This instance as a worker. */
@AutoConfiguration(after = KonduitQueueInstanceAutoConfiguration.class)
@ConditionalOnBean(QueueDatabase.class)
@ConditionalOnProperty(name = PropertyNames.WORKER_ENABLED, matchIfMissing = true)
public final class KonduitQueueWorkerAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    WorkerSettings konduitWorkerSettings(QueueEngine engine) {
        return engine.workerSettings();
    }

    @Bean
    @ConditionalOnMissingBean
    LeaseRepository konduitLeaseRepository(QueueEngine engine) {
        return engine.leases();
    }

    @Bean
    @ConditionalOnMissingBean
    LeaseFence konduitLeaseFence(QueueEngine engine) {
        return engine.fence();
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerLifecycle konduitWorkerLifecycle(QueueEngine engine) {
        return engine.worker();
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerStop konduitWorkerStop(ObjectProvider<WorkerLifecycle> worker) {
        return new WorkerStop(worker::getObject);
    }
}
