package io.konduit.queue;

import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.FailoverPolicy;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerLifecycle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A whole instance of an application as the starter sets it up, with worker, chores and leadership, and with times so
 * short that faults can be waited for.
 */
public final class TestNode implements AutoCloseable {
    public static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);
    public static final Duration HEARTBEAT = Duration.ofMillis(400);
    public static final Duration REAPER_INTERVAL = Duration.ofMillis(500);
    /** L7: how long a task may stay with a crashed worker. */
    public static final Duration RECOVERY_BOUND = LOCK_TIMEOUT.plus(REAPER_INTERVAL);

    private final List<Object> events = new CopyOnWriteArrayList<>();
    private final ControlPool pool;
    private final DataSourceTransactionManager transactionManager;
    private final QueueEngine engine;

    /** What tests choose. */
    public record Options(String name, int slots, Duration drainTimeout, int quarantineAfter, boolean pauseQueues) {
        public Options(String name, int slots, Duration drainTimeout, int quarantineAfter) {
            this(name, slots, drainTimeout, quarantineAfter, false);
        }
    }

    public TestNode(DataSource dataSource, Options options, Handlers handlers) {
        pool = new ControlPool(dataSource, 2, HEARTBEAT);
        transactionManager = new DataSourceTransactionManager(dataSource);
        QueueDatabase database = new QueueDatabase(dataSource, pool, null);
        engine = QueueEngine.builder(database, settings(options), QueueFixture.registry(handlers.of(this)))
                .identity(WorkerIdentity.create(options.name()))
                .events(new QueueEvents(events::add))
                .retryPolicy(() -> RetryPolicy.exponential(3, Duration.ofMillis(10), 1, Duration.ofMillis(10), 0))
                .transactionManager(() -> transactionManager)
                .build();
        transactionManager.addListener(engine.fence());
    }

    /** Makes the handlers of a node. */
    public interface Handlers {
        Object of(TestNode node);
    }

    private static TestSettings settings(Options options) {
        ReclaimPolicy reclaim = ReclaimPolicy.defaults();
        ChoreSettings chores = ChoreSettings.defaults();
        return TestSettings.quick()
                .worker(With.all(
                        With.concurrency(options.slots()),
                        With.lockTimeout(LOCK_TIMEOUT),
                        With.heartbeatInterval(HEARTBEAT),
                        With.pollInterval(Duration.ofMillis(100)),
                        With.drainTimeout(options.drainTimeout())))
                .reclaim(new ReclaimPolicy(
                        reclaim.grace(),
                        reclaim.batchSize(),
                        reclaim.isolateAfter(),
                        options.quarantineAfter(),
                        Duration.ofMillis(100),
                        Duration.ofMillis(400)))
                .chores(new ChoreSettings(
                        REAPER_INTERVAL,
                        chores.abandonedThreshold(),
                        chores.abandonedInterval(),
                        chores.staleThreshold()))
                .leader(new LeaderSettings(Duration.ofMillis(1_500), Duration.ofMillis(500), Duration.ofMillis(250)))
                .failover(new FailoverPolicy(options.pauseQueues(), FailoverPolicy.LONGEST_MEMORY));
    }

    public void start() {
        engine.start();
    }

    public WorkerLifecycle worker() {
        return engine.worker();
    }

    public LeaderOnlyScheduler scheduler() {
        return engine.scheduler();
    }

    /** Application events of this node. */
    public List<Object> events() {
        return events;
    }

    /** Transactions that the fence of this node's worker watches, as {@code @Transactional} methods have them. */
    public TransactionTemplate transaction() {
        return new TransactionTemplate(transactionManager);
    }

    public TaskQueue queue() {
        return engine.taskQueue();
    }

    /** A graceful stop, in the order of the starter. */
    @Override
    public void close() {
        engine.stop();
        pool.close();
    }
}
