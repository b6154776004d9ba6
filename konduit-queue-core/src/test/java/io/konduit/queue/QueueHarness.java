package io.konduit.queue;

import io.konduit.queue.enqueue.EnqueueMonitor;
import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.enqueue.TransactionalTaskQueue;
import io.konduit.queue.error.ErrorMessages;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.JobHandlerScanner;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.recovery.OutageGuard;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ControlPool;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.TaskRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.test.TestDatabase;
import io.konduit.queue.worker.LeaseFence;
import io.konduit.queue.worker.QueueMonitor;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerLifecycle;
import io.konduit.queue.worker.WorkerRegistry;
import io.konduit.queue.worker.WorkerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/**
 * A queue on a database of its own for one test class, with the invariant trigger installed. Tables are emptied before
 * each test; workers that a test started are stopped after it.
 */
public final class QueueHarness implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private static final class Template {
        static final TestDatabase MIGRATED = migrate();

        private static TestDatabase migrate() {
            TestDatabase database = TestDatabase.create();
            new QueueSchemaMigrator(database.dataSource(), null).migrate();
            database.installInvariants(null);
            return database;
        }
    }

    private final List<WorkerLifecycle> workers = new ArrayList<>();
    private final List<Object> events = new CopyOnWriteArrayList<>();
    private volatile Consumer<Object> listener = event -> {};
    private Executor publisher = Runnable::run;
    private TestDatabase testDatabase;
    private ControlPool controlPool;
    private QueueDatabase database;

    @Override
    public void beforeAll(ExtensionContext context) {
        synchronized (Template.class) {
            testDatabase = TestDatabase.copyOf(Template.MIGRATED);
        }
        controlPool = new ControlPool(testDatabase.dataSource(), 4, Duration.ofSeconds(10));
        database = new QueueDatabase(testDatabase.dataSource(), controlPool, null);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        events.clear();
        listener = event -> {};
        publisher = Runnable::run;
        testDatabase.execute(
                "truncate konduit_task, konduit_task_history, konduit_task_incident, konduit_task_error, konduit_worker, konduit_chore, konduit_shedlock");
    }

    @Override
    public void afterEach(ExtensionContext context) {
        stopWorkers();
    }

    /** Stops what the test started, before something that it needs goes away. */
    public void stopWorkers() {
        workers.forEach(WorkerLifecycle::stop);
        workers.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        RecoveryFixture.closePools();
        controlPool.close();
        testDatabase.close();
    }

    public TestDatabase testDatabase() {
        return testDatabase;
    }

    public QueueDatabase database() {
        return database;
    }

    /** SQL on the application's data source. */
    public JdbcClient jdbc() {
        return JdbcClient.create(testDatabase.dataSource());
    }

    public TransactionTemplate transaction() {
        return new TransactionTemplate(transactionManager());
    }

    public DataSourceTransactionManager transactionManager() {
        return new DataSourceTransactionManager(testDatabase.dataSource());
    }

    /** Application events that workers of this harness published. */
    public List<Object> events() {
        return events;
    }

    public QueueEvents queueEvents() {
        return new QueueEvents(
                event -> {
                    events.add(event);
                    listener.accept(event);
                },
                publisher);
    }

    /** Publishes events of this test on another thread than the one that tells them. */
    public void publishOn(Executor newPublisher) {
        publisher = newPublisher;
    }

    /** Lets something listen to the events of this test too. */
    public void onEvent(Consumer<Object> newListener) {
        listener = newListener;
    }

    public TaskRepository tasks() {
        return new TaskRepository(database);
    }

    /** A queue whose application has these handler beans. */
    public TaskQueue queue(Object... handlerBeans) {
        TaskWakeUp wakeUp = queues -> workers.forEach(worker -> worker.tasksDue(queues));
        return new TransactionalTaskQueue(
                tasks(),
                registry(handlerBeans),
                converter(),
                false,
                new TransactionalTaskQueue.Surroundings(
                        () -> Stream.of(wakeUp), EnqueueMonitor.NONE, TaskObservations.none()));
    }

    /** The leases of a worker with a new identity. */
    public LeaseRepository newWorker() {
        return new LeaseRepository(database, UUID.randomUUID());
    }

    /** Claims up to {@code most} due tasks of the default queue. */
    public List<ClaimedTask> claim(LeaseRepository worker, int most) {
        return claim(worker, most, everyType(jdbc()));
    }

    /** Claims up to {@code most} due tasks of these types in the default queue. */
    public static List<ClaimedTask> claim(LeaseRepository worker, int most, List<String> types) {
        List<ClaimRequest.Probe> probes = Arrays.stream(Priority.values())
                .map(priority -> new ClaimRequest.Probe(TaskNames.DEFAULT_QUEUE, priority.level(), "-infinity"))
                .toList();
        return worker.claimDue(new ClaimRequest(probes, most, Duration.ofMinutes(5), 3, List.of(), types));
    }

    /** The types of all tasks, for a worker that has a handler for each. */
    public static List<String> everyType(JdbcClient jdbc) {
        return jdbc.sql("select distinct type from konduit_task")
                .query(String.class)
                .list();
    }

    /** Claims the one task that is due. */
    public ClaimedTask claimOne(LeaseRepository worker) {
        List<ClaimedTask> claimed = claim(worker, 1);
        if (claimed.size() != 1) {
            throw new AssertionError("Expected one due task, found " + claimed);
        }
        return claimed.get(0);
    }

    /** Lets the lease of a task have ended this long ago. */
    public void expireLease(long taskId, Duration ago) {
        int rows = jdbc().sql("update konduit_task set lock_timeout_at = clock_timestamp() - :ms * interval '1 ms'"
                        + " where id = :id and status = 'RUNNING'")
                .param("ms", ago.toMillis())
                .param("id", taskId)
                .update();
        if (rows != 1) {
            throw new AssertionError("Task " + taskId + " is not RUNNING");
        }
    }

    /** Lets a waiting task be due now. */
    public void makeDue(long taskId) {
        jdbc().sql(
                        "update konduit_task set run_at = clock_timestamp() - interval '1 ms' where id = :id and status = 'PENDING'")
                .param("id", taskId)
                .update();
    }

    public String status(TaskId id) {
        return jdbc().sql("select status from konduit_tasks where id = :id")
                .param("id", id.value())
                .query(String.class)
                .optional()
                .orElse("GONE");
    }

    /** Starts a worker with these handlers and settings that suit tests. */
    public WorkerLifecycle startWorker(Object... handlerBeans) {
        return startWorker(UnaryOperator.identity(), handlerBeans);
    }

    public WorkerLifecycle startWorker(UnaryOperator<WorkerSettings> change, Object... handlerBeans) {
        return startWorker(change, quickRetries(), handlerBeans);
    }

    /** Three attempts with next to no wait between them. */
    public static RetryPolicy quickRetries() {
        return RetryPolicy.exponential(3, Duration.ofMillis(1), 1, Duration.ofMillis(1), 0);
    }

    public WorkerLifecycle startWorker(
            UnaryOperator<WorkerSettings> change, RetryPolicy retryPolicy, Object... handlerBeans) {
        return startWorker(database, transactionManager(), change, retryPolicy, handlerBeans);
    }

    /** Starts a worker with its own way to the database, such as one that a test can cut. */
    public WorkerLifecycle startWorker(
            QueueDatabase database,
            UnaryOperator<WorkerSettings> change,
            RetryPolicy retryPolicy,
            Object... handlerBeans) {
        return startWorker(
                database, new DataSourceTransactionManager(database.application()), change, retryPolicy, handlerBeans);
    }

    /** Starts a worker that reaches the database in its own way. */
    public WorkerLifecycle startWorker(
            QueueDatabase database,
            @Nullable DataSourceTransactionManager transactionManager,
            UnaryOperator<WorkerSettings> change,
            RetryPolicy retryPolicy,
            Object... handlerBeans) {
        WorkerSettings settings = change.apply(quickSettings());
        WorkerIdentity identity = WorkerIdentity.create("test");
        LeaseRepository leases = new LeaseRepository(database, identity.id());
        LeaseFence fence = new LeaseFence(database, leases);
        if (transactionManager != null) {
            transactionManager.addListener(fence);
        }
        WorkerLifecycle worker = new WorkerLifecycle(
                settings,
                identity,
                new WorkerLifecycle.Parts(
                        leases,
                        new IncidentRepository(database),
                        new WorkerRegistry(
                                new WorkerRepository(database),
                                identity,
                                new OutageGuard(settings.heartbeatInterval(), System::nanoTime),
                                queueEvents(),
                                System::nanoTime),
                        new NotificationChannel(database),
                        registry(handlerBeans),
                        converter(),
                        retryPolicy,
                        fence,
                        transactionManager,
                        queueEvents(),
                        QueueMonitor.NONE,
                        TaskObservations.none(),
                        errorTexts(),
                        Thread::new));
        workers.add(worker);
        worker.start();
        return worker;
    }

    /** Wakes, counts and observes nothing. */
    public static TransactionalTaskQueue.Surroundings quietSurroundings() {
        return new TransactionalTaskQueue.Surroundings(Stream::empty, EnqueueMonitor.NONE, TaskObservations.none());
    }

    /** Polls often, so that tests need not wait. */
    public static WorkerSettings quickSettings() {
        WorkerSettings defaults = WorkerSettings.defaults();
        return new WorkerSettings(
                defaults.queues(),
                4,
                defaults.queueConcurrency(),
                defaults.lockTimeout(),
                Duration.ofMillis(50),
                defaults.heartbeatInterval(),
                defaults.timeout(),
                defaults.warnAfter(),
                Duration.ofSeconds(5),
                false,
                defaults.isolateAfter());
    }

    public static JobHandlerRegistry registry(@Nullable Object... handlerBeans) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (int i = 0; i < handlerBeans.length; i++) {
            beans.registerSingleton("handlers" + i, handlerBeans[i]);
        }
        return new JobHandlerRegistry(new JobHandlerScanner(beans)::scan);
    }

    /** As the defaults of the properties have it. */
    public static ErrorTexts errorTexts() {
        return new ErrorTexts(ErrorMessages.STORE, List::of);
    }

    public static PayloadConverter converter() {
        return new PayloadConverter(JsonMapper.builder().build());
    }
}
