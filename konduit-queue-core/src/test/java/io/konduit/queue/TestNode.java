package io.konduit.queue;

import io.konduit.queue.enqueue.EnqueueMonitor;
import io.konduit.queue.enqueue.TransactionalTaskQueue;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.failover.AcknowledgedTasks;
import io.konduit.queue.failover.FailoverGuard;
import io.konduit.queue.failover.FailoverMonitor;
import io.konduit.queue.failover.FailoverSettings;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.leader.LeaderSettings;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.OutageGuard;
import io.konduit.queue.recovery.ReaperChore;
import io.konduit.queue.recovery.ReclaimMonitor;
import io.konduit.queue.recovery.ReclaimPolicy;
import io.konduit.queue.store.ChoreRepository;
import io.konduit.queue.store.ControlPool;
import io.konduit.queue.store.FailoverRepository;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaderLocks;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.TaskRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.worker.LeaseFence;
import io.konduit.queue.worker.QueueMonitor;
import io.konduit.queue.worker.ServedQueues;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerLifecycle;
import io.konduit.queue.worker.WorkerRegistry;
import io.konduit.queue.worker.WorkerSettings;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A whole instance of an application as the starter sets it up, with worker, reaper and leadership, and with times so
 * short that faults can be waited for.
 */
public final class TestNode implements AutoCloseable {
    public static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);
    public static final Duration HEARTBEAT = Duration.ofMillis(400);
    public static final Duration REAPER_INTERVAL = Duration.ofMillis(500);
    /** L7: how long a task may stay with a crashed worker. */
    public static final Duration RECOVERY_BOUND = LOCK_TIMEOUT.plus(REAPER_INTERVAL);

    private final List<Object> events = new CopyOnWriteArrayList<>();
    private final AcknowledgedTasks acknowledged = new AcknowledgedTasks(System::nanoTime);
    private final ControlPool pool;
    private final QueueDatabase database;
    private final DataSourceTransactionManager transactionManager;
    private final LeaderOnlyScheduler scheduler;
    private final WorkerLifecycle worker;

    /** What tests choose. */
    public record Options(String name, int slots, Duration drainTimeout, int quarantineAfter, boolean pauseQueues) {
        public Options(String name, int slots, Duration drainTimeout, int quarantineAfter) {
            this(name, slots, drainTimeout, quarantineAfter, false);
        }
    }

    public TestNode(DataSource dataSource, Options options, Handlers handlers) {
        WorkerSettings settings = settings(options.slots(), options.drainTimeout());
        WorkerIdentity identity = WorkerIdentity.create(options.name());
        pool = new ControlPool(dataSource, 2, HEARTBEAT);
        database = new QueueDatabase(dataSource, pool, null);
        QueueEvents queueEvents = new QueueEvents(events::add);
        // as in the starter, the reaper and the worker's heartbeat share one guard
        OutageGuard guard = new OutageGuard(
                HEARTBEAT,
                true,
                System::nanoTime,
                failoverGuard(
                                options.pauseQueues() ? ServedQueues.of(settings.queues(), List.of()) : List.of(),
                                queueEvents)::observed);
        LeaseRepository leases = new LeaseRepository(database, identity.id());
        transactionManager = new DataSourceTransactionManager(dataSource);
        LeaseFence fence = new LeaseFence(database, leases);
        transactionManager.addListener(fence);
        ThreadFactory daemons = slot -> {
            Thread thread = new Thread(slot);
            thread.setDaemon(true);
            return thread;
        };
        worker = new WorkerLifecycle(
                settings,
                identity,
                new WorkerLifecycle.Parts(
                        leases,
                        new IncidentRepository(database),
                        new WorkerRegistry(
                                new WorkerRepository(database), identity, guard, queueEvents, System::nanoTime),
                        new NotificationChannel(database),
                        QueueHarness.registry(handlers.of(this)),
                        QueueHarness.converter(),
                        RetryPolicy.exponential(3, Duration.ofMillis(10), 1, Duration.ofMillis(10), 0),
                        fence,
                        transactionManager,
                        queueEvents,
                        QueueMonitor.NONE,
                        TaskObservations.none(),
                        QueueHarness.errorTexts(),
                        daemons));
        ReclaimPolicy policy = new ReclaimPolicy(
                Duration.ZERO,
                500,
                settings.isolateAfter(),
                options.quarantineAfter(),
                Duration.ofMillis(100),
                Duration.ofMillis(400));
        OrphanReclaimer reclaimer = new OrphanReclaimer(
                new ReclaimRepository(database),
                policy,
                guard,
                new OrphanReclaimer.Surroundings(
                        queueEvents, ReclaimMonitor.NONE, worker::tasksDue, "reaper@" + identity.id()),
                System::nanoTime);
        scheduler = new LeaderOnlyScheduler(
                LeaderLocks.create(database, identity.id()),
                new LeaderSettings(Duration.ofMillis(1_500), Duration.ofMillis(500), Duration.ofMillis(250)),
                new ChoreRepository(database),
                identity.id(),
                queueEvents,
                List.of(new ReaperChore(reclaimer, REAPER_INTERVAL)),
                System::nanoTime);
    }

    private FailoverGuard failoverGuard(List<String> queuesToPause, QueueEvents queueEvents) {
        return new FailoverGuard(
                new FailoverRepository(database),
                acknowledged,
                new FailoverSettings(true, FailoverSettings.LONGEST_MEMORY, queuesToPause),
                new FailoverGuard.Surroundings(
                        queueEvents, FailoverMonitor.NONE, FailoverGuard.Surroundings.ownThread()),
                System::nanoTime);
    }

    /** Makes the handlers of a node. */
    public interface Handlers {
        Object of(TestNode node);
    }

    private static WorkerSettings settings(int slots, Duration drainTimeout) {
        WorkerSettings quick = QueueHarness.quickSettings();
        return new WorkerSettings(
                quick.queues(),
                slots,
                quick.queueConcurrency(),
                LOCK_TIMEOUT,
                Duration.ofMillis(100),
                HEARTBEAT,
                quick.timeout(),
                quick.warnAfter(),
                drainTimeout,
                false,
                quick.isolateAfter());
    }

    public void start() {
        scheduler.start();
        worker.start();
    }

    public WorkerLifecycle worker() {
        return worker;
    }

    public LeaderOnlyScheduler scheduler() {
        return scheduler;
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
        return new TransactionalTaskQueue(
                new TaskRepository(database),
                QueueHarness.registry(),
                QueueHarness.converter(),
                false,
                new TransactionalTaskQueue.Surroundings(
                        Stream::empty, EnqueueMonitor.NONE, TaskObservations.none(), acknowledged));
    }

    /** A graceful stop, in the order of the starter. */
    @Override
    public void close() {
        worker.stop();
        scheduler.stop();
        pool.close();
    }
}
