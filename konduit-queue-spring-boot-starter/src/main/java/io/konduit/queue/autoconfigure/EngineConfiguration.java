package io.konduit.queue.autoconfigure;

import io.konduit.queue.RetryPolicy;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.enqueue.EnqueueMonitor;
import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.failover.FailoverMonitor;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.Chore;
import io.konduit.queue.metrics.QueueMetrics;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.publish.EventThread;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.recovery.ReclaimMonitor;
import io.konduit.queue.schedule.ScheduleMonitor;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.store.ControlReceiver;
import io.konduit.queue.thread.QueueThreads;
import io.konduit.queue.worker.QueueMonitor;
import io.konduit.queue.worker.WorkerIdentity;
import java.util.concurrent.ThreadFactory;
import net.javacrumbs.shedlock.core.LockProvider;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Composes the queue with the application's beans. Those are looked up when a part needs them: each of them may need
 * the {@link io.konduit.queue.TaskQueue}.
 */
@Configuration(proxyBeanMethods = false)
class EngineConfiguration {

    @Bean
    @ConditionalOnMissingBean
    QueueEngine konduitQueueEngine(
            QueueDatabase database,
            QueueSettings settings,
            JobHandlerRegistry handlers,
            ListableBeanFactory beans,
            Environment environment) {
        EventThread eventThread = beans.getBean(EventThread.class);
        return QueueEngine.builder(database, settings, handlers)
                .replacements(new BeanReplacements(beans))
                .identity(() -> beans.getBeanProvider(WorkerIdentity.class).getIfUnique())
                .events(beans.getBean(QueueEvents.class))
                .applicationThread(eventThread::tell)
                .observations(beans.getBean(TaskObservations.class))
                .errors(() -> beans.getBean(ErrorTexts.class))
                .converter(() -> beans.getBean(PayloadConverter.class))
                .retryPolicy(() -> beans.getBean(RetryPolicy.class))
                .transactionManager(() -> QueueTransactionManager.find(
                        database.application(), beans.getBeanProvider(PlatformTransactionManager.class)))
                .lockProvider(() -> beans.getBeanProvider(LockProvider.class).getIfUnique())
                .handlerThreads(handlerThreads(environment))
                .wakeUps(() -> beans.getBeanProvider(TaskWakeUp.class).orderedStream())
                .controlReceivers(
                        () -> beans.getBeanProvider(ControlReceiver.class).orderedStream())
                .chores(() -> beans.getBeanProvider(Chore.class).orderedStream())
                .monitor(() -> queueMonitor(
                        beans.getBeanProvider(QueueMonitor.class).getIfUnique(() -> QueueMonitor.NONE), eventThread))
                .enqueueMonitor(
                        () -> beans.getBeanProvider(EnqueueMonitor.class).getIfUnique(() -> EnqueueMonitor.NONE))
                .reclaimMonitor(() -> reclaimMonitor(
                        beans.getBeanProvider(ReclaimMonitor.class).getIfUnique(() -> ReclaimMonitor.NONE),
                        eventThread))
                .failoverMonitor(
                        () -> beans.getBeanProvider(FailoverMonitor.class).getIfUnique(() -> FailoverMonitor.NONE))
                .scheduleMonitor(
                        () -> beans.getBeanProvider(ScheduleMonitor.class).getIfUnique(() -> ScheduleMonitor.NONE))
                .build();
    }

    /** Our own is fast; one of the application may be slow. */
    private static QueueMonitor queueMonitor(QueueMonitor monitor, EventThread eventThread) {
        return monitor instanceof QueueMetrics || monitor == QueueMonitor.NONE
                ? monitor
                : QueueMonitor.on(eventThread::tell, monitor);
    }

    private static ReclaimMonitor reclaimMonitor(ReclaimMonitor monitor, EventThread eventThread) {
        return monitor instanceof QueueMetrics || monitor == ReclaimMonitor.NONE
                ? monitor
                : ReclaimMonitor.on(eventThread::tell, monitor);
    }

    private static ThreadFactory handlerThreads(Environment environment) {
        return Threading.VIRTUAL.isActive(environment)
                ? new VirtualThreadTaskExecutor("konduit-").getVirtualThreadFactory()
                : QueueThreads::daemon;
    }
}
