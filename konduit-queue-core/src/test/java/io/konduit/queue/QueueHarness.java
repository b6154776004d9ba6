package io.konduit.queue;

import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.test.TemplateDatabase;
import io.konduit.queue.test.TestDatabase;
import io.konduit.queue.worker.WorkerLifecycle;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The fixture on a database of its own for one test class, with the invariant trigger installed. Tables are emptied before
 * each test; workers that a test started are stopped after it.
 */
public final class QueueHarness extends QueueFixture
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private static final TemplateDatabase TEMPLATE =
            new TemplateDatabase(tables -> new QueueSchemaMigrator(tables, null).migrate());

    private final @Nullable Instant stoppedAt;
    private final List<WorkerLifecycle> workers = new CopyOnWriteArrayList<>();
    private volatile Consumer<Object> listener = event -> {};
    private Executor publisher = Runnable::run;
    private TestDatabase testDatabase;
    private @Nullable ControlPool controlPool;
    private QueueDatabase database;
    private DatabaseClock clock;

    public QueueHarness() {
        this(null);
    }

    private QueueHarness(@Nullable Instant stoppedAt) {
        this.stoppedAt = stoppedAt;
    }

    /** With a database clock that stands still. Each test begins at this time. */
    public static QueueHarness stoppedAt(Instant time) {
        return new QueueHarness(time);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        testDatabase = TEMPLATE.copy();
        if (stoppedAt == null) {
            controlPool = new ControlPool(testDatabase.dataSource(), 4, Duration.ofSeconds(10));
            database = new QueueDatabase(testDatabase.dataSource(), controlPool, null);
        } else {
            clock = DatabaseClock.install(testDatabase, stoppedAt);
            database = databaseOn(testDatabase.newPool(4));
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        events().clear();
        wakeUps().clear();
        monitored().clear();
        listener = event -> {};
        publisher = Runnable::run;
        if (stoppedAt != null) {
            clock.set(stoppedAt);
        }
        testDatabase.execute(
                "truncate konduit_task, konduit_task_history, konduit_task_incident, konduit_task_error, konduit_worker, konduit_chore, konduit_shedlock,"
                        + " konduit_schedule, konduit_schedule_firing");
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
        closePools();
        if (controlPool != null) {
            controlPool.close();
        }
        testDatabase.close();
    }

    public TestDatabase testDatabase() {
        return testDatabase;
    }

    @Override
    public QueueDatabase database() {
        return database;
    }

    /** Of a harness that was made with {@link #stoppedAt}. */
    public DatabaseClock clock() {
        return clock;
    }

    public TransactionTemplate transaction() {
        return new TransactionTemplate(transactionManager());
    }

    public DataSourceTransactionManager transactionManager() {
        return new DataSourceTransactionManager(database.application());
    }

    @Override
    public QueueEvents queueEvents() {
        return new QueueEvents(
                event -> {
                    events().add(event);
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

    /** Wakes the workers that the test has started. */
    @Override
    protected void wake(Set<String> queues) {
        workers.forEach(worker -> worker.tasksDue(queues));
    }

    /** Starts a worker with these handlers and settings that suit tests. */
    public WorkerLifecycle startWorker(Object... handlerBeans) {
        return startWorker(UnaryOperator.identity(), handlerBeans);
    }

    public WorkerLifecycle startWorker(UnaryOperator<WorkerSettings> change, Object... handlerBeans) {
        return startWorker(change, quickRetries(), handlerBeans);
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
        QueueEngine engine = engineOn(database, TestSettings.quick().worker(change), handlerBeans)
                .retryPolicy(() -> retryPolicy)
                .transactionManager(() -> transactionManager)
                .build();
        if (transactionManager != null) {
            transactionManager.addListener(engine.fence());
        }
        WorkerLifecycle worker = engine.worker();
        workers.add(worker);
        worker.start();
        return worker;
    }
}
