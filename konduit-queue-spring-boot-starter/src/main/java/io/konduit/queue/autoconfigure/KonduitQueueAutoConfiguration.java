package io.konduit.queue.autoconfigure;

import io.konduit.queue.RetryPolicy;
import io.konduit.queue.Schedules;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.WorkerAdministration;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.enqueue.Notifier;
import io.konduit.queue.failover.FailoverWatch;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.handler.HiddenHandlers;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.JobHandlerScanner;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.insert.TaskInserts;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.operations.DatabaseQueueAdministration;
import io.konduit.queue.operations.DatabaseQueueInspection;
import io.konduit.queue.operations.DatabaseTaskAdministration;
import io.konduit.queue.operations.DatabaseWorkerAdministration;
import io.konduit.queue.publish.EventThread;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.ReclaimEvents;
import io.konduit.queue.review.AdministrationRepository;
import io.konduit.queue.review.PauseRepository;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.store.ControlMessages;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.TaskRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.worker.WorkerRegistry;
import io.micrometer.observation.ObservationRegistry;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.json.JsonMapper;

/** The queue itself: tables, control pool, {@link TaskQueue}. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(name = PropertyNames.ENABLED, matchIfMissing = true)
@EnableConfigurationProperties(KonduitQueueProperties.class)
@Import({
    SchemaConfiguration.class,
    EngineConfiguration.class,
    FailoverConfiguration.class,
    ErrorConfiguration.class,
    DeclaredQueuesConfiguration.class
})
public final class KonduitQueueAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    QueueSettings konduitQueueSettings(KonduitQueueProperties properties) {
        return new PropertySettings(properties);
    }

    @Bean
    @ConditionalOnMissingBean
    static TransactionListenerRegistrar konduitTransactionListenerRegistrar(ConfigurableListableBeanFactory beans) {
        return new TransactionListenerRegistrar(beans);
    }

    @Bean
    @ConditionalOnMissingBean
    TaskInserts konduitTaskInserts(QueueEngine engine) {
        return engine.inserts();
    }

    @Bean
    @ConditionalOnMissingBean
    TaskRepository konduitTaskRepository(QueueEngine engine) {
        return engine.tasks();
    }

    @Bean
    @ConditionalOnMissingBean
    ControlMessages konduitControlMessages(QueueEngine engine) {
        return engine.controlMessages();
    }

    @Bean
    @ConditionalOnMissingBean
    IncidentRepository konduitIncidentRepository(QueueEngine engine) {
        return engine.incidents();
    }

    @Bean
    @ConditionalOnMissingBean
    JobHandlerRegistry konduitJobHandlerRegistry(ConfigurableListableBeanFactory beans) {
        return new JobHandlerRegistry(new JobHandlerScanner(beans)::scan);
    }

    @Bean
    @ConditionalOnMissingBean
    JobHandlerCheck konduitJobHandlerCheck(
            JobHandlerRegistry handlers,
            PayloadConverter converter,
            ConfigurableListableBeanFactory beans,
            ObjectProvider<QueueEngine> engine) {
        return new JobHandlerCheck(handlers, converter, new HiddenHandlers(beans), () -> engine.getObject()
                .declaredSchedules());
    }

    @Bean
    @ConditionalOnMissingBean
    PayloadConverter konduitPayloadConverter(ObjectProvider<JsonMapper> mapper, QueueSettings settings) {
        return new PayloadConverter(
                mapper.getIfUnique(() -> JsonMapper.builder().build()), settings.payloads());
    }

    @Bean
    @ConditionalOnMissingBean
    RetryPolicy konduitRetryPolicy(QueueSettings settings) {
        return settings.retry().policy();
    }

    @Bean
    @ConditionalOnMissingBean
    EventThread konduitEventThread() {
        return new EventThread();
    }

    @Bean
    @ConditionalOnMissingBean
    QueueEvents konduitQueueEvents(ApplicationEventPublisher publisher, EventThread thread) {
        return new QueueEvents(publisher, thread::tell);
    }

    @Bean
    @ConditionalOnMissingBean
    NotificationChannel konduitNotificationChannel(QueueEngine engine) {
        return engine.channel();
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = PropertyNames.WORKER_LISTEN, matchIfMissing = true)
    Notifier konduitNotifier(QueueEngine engine) {
        return engine.notifier();
    }

    @Bean
    @ConditionalOnMissingBean
    TaskQueue konduitTaskQueue(QueueEngine engine, ObjectProvider<FailoverWatch> failoverWatch) {
        failoverWatch.ifAvailable(FailoverWatch::start);
        return engine.taskQueue();
    }

    @Bean
    @ConditionalOnMissingBean
    Schedules konduitSchedules(QueueEngine engine) {
        return engine.schedules();
    }

    @Bean
    @ConditionalOnMissingBean
    TaskObservations konduitTaskObservations(ObjectProvider<ObservationRegistry> registry) {
        return new TaskObservations(registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    @Bean
    @ConditionalOnMissingBean
    OutageGuard konduitOutageGuard(QueueEngine engine) {
        return engine.outageGuard();
    }

    @Bean
    @ConditionalOnMissingBean
    ReclaimRepository konduitReclaimRepository(QueueEngine engine) {
        return engine.reclaims();
    }

    @Bean
    @ConditionalOnMissingBean
    ReclaimPolicy konduitReclaimPolicy(QueueEngine engine) {
        return engine.reclaimPolicy();
    }

    @Bean
    @ConditionalOnMissingBean
    ReclaimEvents konduitReclaimEvents(QueueEngine engine) {
        return engine.reclaimEvents();
    }

    @Bean
    @ConditionalOnMissingBean
    OrphanReclaimer konduitOrphanReclaimer(QueueEngine engine) {
        return engine.reclaimer();
    }

    @Bean
    @ConditionalOnMissingBean
    AbandonedLeaseCleaner konduitAbandonedLeaseCleaner(QueueEngine engine) {
        return engine.cleaner();
    }

    @Bean
    @ConditionalOnMissingBean
    TaskAdministration konduitTaskAdministration(
            QueueDatabase database,
            TaskRepository tasks,
            OrphanReclaimer reclaimer,
            AbandonedLeaseCleaner cleaner,
            ReclaimEvents events,
            ControlMessages messages,
            QueueEngine engine) {
        return new DatabaseTaskAdministration(
                new AdministrationRepository(database, messages),
                tasks,
                reclaimer,
                cleaner,
                events.wakeUp(),
                engine::tasksDueIn);
    }

    @Bean
    @ConditionalOnMissingBean
    QueueAdministration konduitQueueAdministration(QueueDatabase database, ReclaimEvents events) {
        return new DatabaseQueueAdministration(new PauseRepository(database), events.wakeUp());
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerAdministration konduitWorkerAdministration(QueueDatabase database, ObjectProvider<WorkerRegistry> own) {
        return new DatabaseWorkerAdministration(new WorkerRepository(database), own.getIfUnique());
    }

    @Bean
    @ConditionalOnMissingBean
    QueueInspection konduitQueueInspection(QueueDatabase database, QueueSettings settings) {
        return new DatabaseQueueInspection(database, settings.inspection());
    }
}
