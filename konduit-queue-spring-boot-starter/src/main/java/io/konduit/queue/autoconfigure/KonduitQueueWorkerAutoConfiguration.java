package io.konduit.queue.autoconfigure;

import io.konduit.queue.RetryPolicy;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.event.EventThread;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.metrics.QueueMetrics;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.worker.LeaseFence;
import io.konduit.queue.worker.QueueMonitor;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerLifecycle;
import io.konduit.queue.worker.WorkerRegistry;
import io.konduit.queue.worker.WorkerSettings;
import io.konduit.queue.worker.WorkerStop;
import java.util.concurrent.ThreadFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.transaction.PlatformTransactionManager;

/** This instance as a worker. */
@AutoConfiguration(after = KonduitQueueInstanceAutoConfiguration.class)
@ConditionalOnBean(QueueDatabase.class)
@ConditionalOnProperty(name = "konduit.queue.worker.enabled", matchIfMissing = true)
public final class KonduitQueueWorkerAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    WorkerSettings konduitWorkerSettings(KonduitQueueProperties properties) {
        KonduitQueueProperties.Worker worker = properties.worker();
        return new WorkerSettings(
                DeclaredQueuesConfiguration.queues(worker),
                worker.concurrency(),
                worker.queueConcurrency(),
                properties.lockTimeout(),
                worker.pollInterval(),
                worker.heartbeatInterval(),
                worker.timeout(),
                worker.warnAfter(),
                worker.drainTimeout(),
                worker.listen(),
                properties.zombie().isolateAfter());
    }

    @Bean
    @ConditionalOnMissingBean
    LeaseRepository konduitLeaseRepository(QueueDatabase database, WorkerIdentity identity) {
        return new LeaseRepository(database, identity.id());
    }

    @Bean
    @ConditionalOnMissingBean
    LeaseFence konduitLeaseFence(QueueDatabase database, LeaseRepository leases) {
        return new LeaseFence(database, leases);
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerLifecycle konduitWorkerLifecycle(
            WorkerSettings settings,
            WorkerIdentity identity,
            LeaseRepository leases,
            IncidentRepository incidents,
            WorkerRegistry registry,
            NotificationChannel channel,
            JobHandlerRegistry handlers,
            PayloadConverter converter,
            RetryPolicy retryPolicy,
            LeaseFence fence,
            QueueDataSource dataSource,
            ObjectProvider<PlatformTransactionManager> transactionManagers,
            QueueEvents events,
            EventThread eventThread,
            ObjectProvider<QueueMonitor> monitor,
            TaskObservations observations,
            ErrorTexts errors,
            Environment environment) {
        return new WorkerLifecycle(
                settings,
                identity,
                new WorkerLifecycle.Parts(
                        leases,
                        incidents,
                        registry,
                        channel,
                        handlers,
                        converter,
                        retryPolicy,
                        fence,
                        QueueTransactionManager.find(dataSource, transactionManagers),
                        events,
                        queueMonitor(monitor.getIfUnique(() -> QueueMonitor.NONE), eventThread),
                        observations,
                        errors,
                        handlerThreads(environment)));
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerStop konduitWorkerStop(ObjectProvider<WorkerLifecycle> worker) {
        return new WorkerStop(worker::getObject);
    }

    /** Ours is quick; what one of the application does nobody knows. */
    private static QueueMonitor queueMonitor(QueueMonitor monitor, EventThread eventThread) {
        return monitor instanceof QueueMetrics || monitor == QueueMonitor.NONE
                ? monitor
                : QueueMonitor.on(eventThread::tell, monitor);
    }

    private static ThreadFactory handlerThreads(Environment environment) {
        if (Threading.VIRTUAL.isActive(environment)) {
            return new VirtualThreadTaskExecutor("konduit-").getVirtualThreadFactory();
        }
        return slot -> {
            Thread thread = new Thread(slot);
            thread.setDaemon(true);
            return thread;
        };
    }
}
