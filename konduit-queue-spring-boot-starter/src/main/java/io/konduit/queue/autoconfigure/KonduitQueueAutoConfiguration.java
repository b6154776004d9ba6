package io.konduit.queue.autoconfigure;

import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.RetryPolicy;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.admin.InspectionSettings;
import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.WorkerAdministration;
import io.konduit.queue.enqueue.EnqueueMonitor;
import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.enqueue.TransactionalTaskQueue;
import io.konduit.queue.event.EventThread;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.failover.AcknowledgedTasks;
import io.konduit.queue.failover.FailoverGuard;
import io.konduit.queue.failover.FailoverWatch;
import io.konduit.queue.handler.HiddenHandlers;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.JobHandlerScanner;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.handler.PayloadSettings;
import io.konduit.queue.metrics.QueueMetrics;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.OutageGuard;
import io.konduit.queue.recovery.ReclaimMonitor;
import io.konduit.queue.recovery.ReclaimPolicy;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.schema.ServerCheck;
import io.konduit.queue.store.AdministrationRepository;
import io.konduit.queue.store.ApplicationConnections;
import io.konduit.queue.store.ControlMessages;
import io.konduit.queue.store.ControlPool;
import io.konduit.queue.store.ControlReceiver;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.PauseRepository;
import io.konduit.queue.store.PoolerProbe;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ServerSessions;
import io.konduit.queue.store.TaskRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.worker.Notifier;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerLifecycle;
import io.konduit.queue.worker.WorkerRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
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
@ConditionalOnProperty(name = "konduit.queue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(KonduitQueueProperties.class)
@Import({FailoverConfiguration.class, ErrorConfiguration.class, DeclaredQueuesConfiguration.class})
public final class KonduitQueueAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    QueueSchemaMigrator konduitQueueSchemaMigrator(
            QueueDataSource dataSource, ServerSessions sessions, KonduitQueueProperties properties) {
        return new QueueSchemaMigrator(
                dataSource.dataSource(),
                schema(properties, dataSource, sessions),
                properties.schema().lockPatience(),
                sessions);
    }

    /** Looks at the server before anything else is sent to it. */
    @Bean
    @ConditionalOnMissingBean
    ServerSessions konduitQueueServerSessions(QueueDataSource dataSource, KonduitQueueProperties properties) {
        ServerCheck.check(dataSource.dataSource(), properties.schema().name());
        return PoolerProbe.probe(dataSource.dataSource());
    }

    @Bean
    @ConditionalOnMissingBean
    QueueDataSource konduitQueueDataSourceChoice(
            @KonduitQueueDataSource ObjectProvider<DataSource> marked, ObjectProvider<DataSource> any) {
        return QueueDataSource.choose(marked, any);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    ControlPool konduitQueueControlPool(
            QueueDataSource dataSource, ServerSessions sessions, KonduitQueueProperties properties) {
        if (properties.controlPoolSize() < 2) {
            throw new InvalidSettingsException(
                    "'konduit.queue.control-pool-size' (%d) must be at least 2: a claim must not keep an extension waiting."
                            .formatted(properties.controlPoolSize()));
        }
        // a connection that has died silently must be noticed within a heartbeat round
        Duration third = properties.lockTimeout().dividedBy(3);
        Duration heartbeat = properties.worker().heartbeatInterval();
        Duration patience = third.compareTo(heartbeat) < 0 ? third : heartbeat;
        return new ControlPool(dataSource.dataSource(), properties.controlPoolSize(), patience, sessions);
    }

    /** The application's own migrations run first: Flyway refuses to begin in a schema that has tables already. */
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    QueueDatabase konduitQueueDatabase(
            QueueDataSource dataSource,
            ControlPool controlPool,
            ServerSessions sessions,
            QueueSchemaMigrator migrator,
            KonduitQueueProperties properties) {
        QueueDatabase database =
                new QueueDatabase(dataSource.dataSource(), controlPool, schema(properties, dataSource, sessions));
        if (properties.schema().initialize()) {
            migrator.migrate();
        }
        migrator.verify();
        return database;
    }

    /** In a shared session no search path can be set: the schema of the application's pool becomes part of each name. */
    private static @Nullable String schema(
            KonduitQueueProperties properties, QueueDataSource dataSource, ServerSessions sessions) {
        String name = properties.schema().name();
        return name != null || sessions == ServerSessions.OWN
                ? name
                : ApplicationConnections.schema(dataSource.dataSource());
    }

    @Bean
    @ConditionalOnMissingBean
    static TransactionListenerRegistrar konduitTransactionListenerRegistrar(ConfigurableListableBeanFactory beans) {
        return new TransactionListenerRegistrar(beans);
    }

    @Bean
    @ConditionalOnMissingBean
    TaskRepository konduitTaskRepository(
            QueueDatabase database, KonduitQueueProperties properties, ControlMessages messages) {
        return new TaskRepository(database, properties.groupEnqueues(), messages);
    }

    /** Receivers are asked for with each message: workers are among them, and their handlers may need the queue. */
    @Bean
    @ConditionalOnMissingBean
    ControlMessages konduitControlMessages(QueueDatabase database, ObjectProvider<ControlReceiver> receivers) {
        return new ControlMessages(database, receivers::orderedStream);
    }

    @Bean
    @ConditionalOnMissingBean
    IncidentRepository konduitIncidentRepository(QueueDatabase database) {
        return new IncidentRepository(database);
    }

    @Bean
    @ConditionalOnMissingBean
    JobHandlerRegistry konduitJobHandlerRegistry(ConfigurableListableBeanFactory beans) {
        return new JobHandlerRegistry(new JobHandlerScanner(beans)::scan);
    }

    @Bean
    @ConditionalOnMissingBean
    JobHandlerCheck konduitJobHandlerCheck(
            JobHandlerRegistry handlers, PayloadConverter converter, ConfigurableListableBeanFactory beans) {
        return new JobHandlerCheck(handlers, converter, new HiddenHandlers(beans));
    }

    @Bean
    @ConditionalOnMissingBean
    PayloadConverter konduitPayloadConverter(ObjectProvider<JsonMapper> mapper, KonduitQueueProperties properties) {
        return new PayloadConverter(
                mapper.getIfUnique(() -> JsonMapper.builder().build()),
                new PayloadSettings(properties.maxPayload().toBytes(), properties.checkPayloads()));
    }

    @Bean
    @ConditionalOnMissingBean
    RetryPolicy konduitRetryPolicy(KonduitQueueProperties properties) {
        return RetrySettings.policy(properties.retry());
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
    NotificationChannel konduitNotificationChannel(QueueDatabase database) {
        return new NotificationChannel(database);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "konduit.queue.worker.listen", matchIfMissing = true)
    Notifier konduitNotifier(NotificationChannel channel) {
        return new Notifier(channel);
    }

    @Bean
    @ConditionalOnMissingBean
    TaskQueue konduitTaskQueue(
            TaskRepository tasks,
            JobHandlerRegistry handlers,
            PayloadConverter converter,
            KonduitQueueProperties properties,
            ObjectProvider<TaskWakeUp> wakeUps,
            ObjectProvider<EnqueueMonitor> monitor,
            TaskObservations observations,
            AcknowledgedTasks acknowledged,
            ObjectProvider<FailoverWatch> failoverWatch) {
        failoverWatch.ifAvailable(FailoverWatch::start);
        return new TransactionalTaskQueue(
                tasks,
                handlers,
                converter,
                properties.rejectUnknownTypes(),
                new TransactionalTaskQueue.Surroundings(
                        wakeUps::orderedStream,
                        monitor.getIfUnique(() -> EnqueueMonitor.NONE),
                        observations,
                        acknowledged));
    }

    @Bean
    @ConditionalOnMissingBean
    TaskObservations konduitTaskObservations(ObjectProvider<ObservationRegistry> registry) {
        return new TaskObservations(registry.getIfUnique(() -> ObservationRegistry.NOOP));
    }

    @Bean
    @ConditionalOnMissingBean
    OutageGuard konduitOutageGuard(KonduitQueueProperties properties, FailoverGuard failover) {
        return new OutageGuard(
                properties.worker().heartbeatInterval(),
                properties.worker().enabled() || properties.runsChores(),
                System::nanoTime,
                failover::observed);
    }

    @Bean
    @ConditionalOnMissingBean
    ReclaimRepository konduitReclaimRepository(QueueDatabase database) {
        return new ReclaimRepository(database);
    }

    @Bean
    @ConditionalOnMissingBean
    ReclaimPolicy konduitReclaimPolicy(KonduitQueueProperties properties) {
        KonduitQueueProperties.Zombie zombie = properties.zombie();
        return new ReclaimPolicy(
                properties.reaperGrace(),
                properties.reaperBatchSize(),
                zombie.isolateAfter(),
                zombie.quarantineAfter(),
                zombie.backoff(),
                zombie.backoffCap());
    }

    @Bean
    @ConditionalOnMissingBean
    OrphanReclaimer.Surroundings konduitReclaimSurroundings(
            QueueEvents events,
            EventThread eventThread,
            ObjectProvider<ReclaimMonitor> monitor,
            ObjectProvider<TaskWakeUp> wakeUps,
            ObjectProvider<WorkerIdentity> identity) {
        String worker = identity.stream()
                .map(known -> known.id().toString())
                .findFirst()
                .orElse("application");
        return new OrphanReclaimer.Surroundings(
                events,
                reclaimMonitor(monitor.getIfUnique(() -> ReclaimMonitor.NONE), eventThread),
                queues -> wakeUps.orderedStream().forEach(wakeUp -> wake(wakeUp, queues, eventThread)),
                "reaper@" + worker);
    }

    /** Ours is quick; what one of the application does nobody knows. */
    private static ReclaimMonitor reclaimMonitor(ReclaimMonitor monitor, EventThread eventThread) {
        return monitor instanceof QueueMetrics ? monitor : ReclaimMonitor.on(eventThread::tell, monitor);
    }

    private static void wake(TaskWakeUp wakeUp, Set<String> queues, EventThread eventThread) {
        if (wakeUp instanceof WorkerLifecycle || wakeUp instanceof Notifier) {
            wakeUp.tasksDue(queues);
        } else {
            eventThread.tell(() -> wakeUp.tasksDue(queues));
        }
    }

    @Bean
    @ConditionalOnMissingBean
    OrphanReclaimer konduitOrphanReclaimer(
            ReclaimRepository tasks,
            ReclaimPolicy policy,
            OutageGuard guard,
            OrphanReclaimer.Surroundings surroundings) {
        return new OrphanReclaimer(tasks, policy, guard, surroundings, System::nanoTime);
    }

    @Bean
    @ConditionalOnMissingBean
    AbandonedLeaseCleaner konduitAbandonedLeaseCleaner(
            ReclaimRepository tasks,
            ReclaimPolicy policy,
            KonduitQueueProperties properties,
            OrphanReclaimer.Surroundings surroundings) {
        return new AbandonedLeaseCleaner(tasks, policy, properties.abandoned().threshold(), surroundings);
    }

    @Bean
    @ConditionalOnMissingBean
    TaskAdministration konduitTaskAdministration(
            QueueDatabase database,
            TaskRepository tasks,
            ReclaimRepository orphans,
            OrphanReclaimer reclaimer,
            AbandonedLeaseCleaner cleaner,
            OrphanReclaimer.Surroundings surroundings,
            ControlMessages messages) {
        return new TaskAdministration(
                new AdministrationRepository(database, messages),
                tasks,
                orphans,
                reclaimer,
                cleaner,
                surroundings.wakeUp());
    }

    @Bean
    @ConditionalOnMissingBean
    QueueAdministration konduitQueueAdministration(QueueDatabase database, OrphanReclaimer.Surroundings surroundings) {
        return new QueueAdministration(new PauseRepository(database), surroundings.wakeUp());
    }

    @Bean
    @ConditionalOnMissingBean
    WorkerAdministration konduitWorkerAdministration(QueueDatabase database, ObjectProvider<WorkerRegistry> own) {
        return new WorkerAdministration(new WorkerRepository(database), own.getIfUnique());
    }

    @Bean
    @ConditionalOnMissingBean
    QueueInspection konduitQueueInspection(
            QueueDatabase database, ReclaimPolicy policy, KonduitQueueProperties properties) {
        return new QueueInspection(
                database,
                new InspectionSettings(
                        properties.zombie().warnAbove(),
                        policy.isolateAfter(),
                        policy.quarantineAfter(),
                        policy.grace(),
                        properties.reaperInterval(),
                        properties.worker().staleThreshold(),
                        properties.abandoned().threshold()));
    }
}
