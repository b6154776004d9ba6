package io.konduit.queue;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.engine.QueueEngineBuilder;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.JobHandlerScanner;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.insert.TaskInserts;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.operations.DatabaseQueueInspection;
import io.konduit.queue.operations.DatabaseTaskAdministration;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.ReclaimEvents;
import io.konduit.queue.recovery.ReclaimMonitor;
import io.konduit.queue.review.AdministrationRepository;
import io.konduit.queue.settings.InspectionSettings;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.settings.TaskNames;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import io.konduit.queue.store.TaskRepository;
import io.konduit.queue.worker.WorkerIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * A queue on one test database: its parts as the composition root makes them, tasks in every state, and a look at the rows
 * they leave behind. Nothing of it runs by itself.
 */
public class QueueFixture extends TaskTable {
    /** Who the reaper of the fixture says it is. */
    public static final String REAPER = "reaper@test";

    private static final List<AutoCloseable> POOLS = new CopyOnWriteArrayList<>();

    private final @Nullable QueueDatabase database;
    private final List<Object> events = new CopyOnWriteArrayList<>();
    private final List<Set<String>> wakeUps = new CopyOnWriteArrayList<>();
    private final List<Reclaimed> monitored = new CopyOnWriteArrayList<>();

    public QueueFixture(QueueDatabase database) {
        this.database = database;
    }

    /** For a fixture that gets its database later. */
    protected QueueFixture() {
        this.database = null;
    }

    /**
     * A database with a control pool of its own on the given data source, such as a {@link StatementProbe}. Both are
     * closed by {@link #closePools}, which the harness calls after the last test of a class.
     */
    public static QueueDatabase databaseOn(DataSource source) {
        ControlPool control = new ControlPool(source, 4, Duration.ofSeconds(10));
        POOLS.add(control);
        if (source instanceof HikariDataSource pool) {
            POOLS.add(pool);
        }
        return new QueueDatabase(source, control, null);
    }

    public static void closePools() {
        for (AutoCloseable pool : POOLS) {
            try {
                pool.close();
            } catch (Exception e) {
                throw new IllegalStateException("A pool could not be closed.", e);
            }
        }
        POOLS.clear();
    }

    @Override
    public QueueDatabase database() {
        return Objects.requireNonNull(database);
    }

    /** Whether a session holds the worker's witness and nobody has missed it. */
    public boolean holdsWitness(UUID worker) {
        return count("select count(*) from konduit_worker w join pg_locks l on l.locktype = 'advisory' and l.granted"
                        + " and l.objid::bigint = (w.witness::bigint & 4294967295)"
                        + " where w.witness_gone_at is null and w.id = '" + worker + "'")
                > 0;
    }

    /** A queue whose application has these handler beans, with settings that suit tests. Change what the test is about. */
    public QueueEngineBuilder engine(Object... handlerBeans) {
        return engine(TestSettings.quick(), handlerBeans);
    }

    public QueueEngineBuilder engine(QueueSettings settings, Object... handlerBeans) {
        return engineOn(database(), settings, handlerBeans);
    }

    /** With its own way to the database, such as one that a test can cut. */
    protected QueueEngineBuilder engineOn(QueueDatabase way, QueueSettings settings, Object... handlerBeans) {
        return QueueEngine.builder(way, settings, registry(handlerBeans))
                .identity(WorkerIdentity.create("test"))
                .retryPolicy(QueueFixture::quickRetries)
                .events(queueEvents())
                .wakeUps(() -> Stream.of(this::wake))
                .controlReceivers(Stream::empty)
                .replace(ReclaimEvents.class, () -> reclaimEvents(queueEvents()));
    }

    /** Something was enqueued. */
    protected void wake(Set<String> queues) {}

    /** Three attempts with next to no wait between them. */
    public static RetryPolicy quickRetries() {
        return RetryPolicy.exponential(3, Duration.ofMillis(1), 1, Duration.ofMillis(1), 0);
    }

    public static JobHandlerRegistry registry(@Nullable Object... handlerBeans) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        for (int i = 0; i < handlerBeans.length; i++) {
            beans.registerSingleton("handlers" + i, handlerBeans[i]);
        }
        return new JobHandlerRegistry(new JobHandlerScanner(beans)::scan);
    }

    public static PayloadConverter converter() {
        return new PayloadConverter(JsonMapper.builder().build());
    }

    /** Publishes to {@link #events}. */
    public QueueEvents queueEvents() {
        return new QueueEvents(events::add);
    }

    public List<Object> events() {
        return events;
    }

    public List<Set<String>> wakeUps() {
        return wakeUps;
    }

    /** What the metrics were told. */
    public List<Reclaimed> monitored() {
        return monitored;
    }

    public OrphanReclaimer reclaimer() {
        return reclaimer(ReclaimPolicy.defaults());
    }

    public OrphanReclaimer reclaimer(ReclaimPolicy policy) {
        return reaping(policy).build().reclaimer();
    }

    public OrphanReclaimer reclaimer(ReclaimPolicy policy, ReclaimEvents reclaimEvents) {
        return reaping(policy)
                .replace(ReclaimEvents.class, () -> reclaimEvents)
                .build()
                .reclaimer();
    }

    /** With a reaper that trusts the database's clock at once. */
    private QueueEngineBuilder reaping(ReclaimPolicy policy) {
        return engine(TestSettings.quick().reclaim(policy))
                .replace(OutageGuard.class, () -> new OutageGuard(Duration.ZERO, System::nanoTime));
    }

    public AbandonedLeaseCleaner cleaner(ReclaimPolicy policy, Duration threshold) {
        return new AbandonedLeaseCleaner(
                new ReclaimRepository(database()), policy, threshold, reclaimEvents(queueEvents()));
    }

    public TaskAdministration administration() {
        return administration(ReclaimPolicy.defaults());
    }

    public TaskAdministration administration(ReclaimPolicy policy) {
        return new DatabaseTaskAdministration(
                new AdministrationRepository(database()),
                new TaskRepository(database()),
                reclaimer(policy),
                cleaner(policy, Duration.ofDays(7)),
                wakeUps::add);
    }

    /** What people see of it. */
    public QueueInspection inspection() {
        return new DatabaseQueueInspection(database(), InspectionSettings.defaults());
    }

    /** Tells {@link #monitored} and {@link #wakeUps} too. */
    public ReclaimEvents reclaimEvents(QueueEvents publisher) {
        ReclaimMonitor monitor = new ReclaimMonitor() {
            @Override
            public void reclaimed(Reclaimed task) {
                monitored.add(task);
            }
        };
        return new ReclaimEvents(REAPER, publisher, monitor, wakeUps::add);
    }

    /** A policy with another grace and batch size, and the defaults otherwise. */
    public static ReclaimPolicy policy(Duration grace, int batchSize) {
        ReclaimPolicy defaults = ReclaimPolicy.defaults();
        return new ReclaimPolicy(
                grace,
                batchSize,
                defaults.isolateAfter(),
                defaults.quarantineAfter(),
                defaults.backoff(),
                defaults.backoffCap());
    }

    public TaskInserts inserts() {
        return engine().build().inserts();
    }

    public TaskRepository tasks() {
        return engine().build().tasks();
    }

    /** The leases of a worker with a new identity. */
    public LeaseRepository newWorker() {
        return new LeaseRepository(database(), UUID.randomUUID());
    }

    /** A queue whose application has these handler beans. */
    public TaskQueue queue(Object... handlerBeans) {
        return engine(handlerBeans).build().taskQueue();
    }

    /** One that tells no worker what it enqueues. */
    public TaskQueue silentQueue() {
        return engine().wakeUps(Stream::empty).build().taskQueue();
    }

    /** Probes of these queues, best priority first. */
    public static List<ClaimRequest.Probe> probes(String... queues) {
        List<ClaimRequest.Probe> probes = new ArrayList<>();
        for (Priority priority : Priority.values()) {
            for (String queue : queues) {
                probes.add(ClaimRequest.Probe.everything(queue, priority));
            }
        }
        return probes;
    }

    /** What a worker asks of the default queue that has handlers of these types. */
    public static ClaimRequest request(
            int limit, Collection<ClaimRequest.Declared> handlers, Collection<String> types, long budget) {
        return new ClaimRequest(
                probes(TaskNames.DEFAULT_QUEUE), limit, Duration.ofMinutes(5), 3, handlers, types, budget);
    }

    /** What a worker asks for that has handlers of the types that tests of the store use. */
    public static ClaimRequest request(int limit, Collection<ClaimRequest.Declared> handlers) {
        return request(limit, handlers, List.of("noop", "mail", "pay"), Long.MAX_VALUE);
    }

    /** Claims up to {@code limit} due tasks of the default queue, as a worker that has a handler for each type. */
    public List<ClaimedTask> claim(LeaseRepository worker, int limit) {
        return claim(worker, limit, everyType());
    }

    /** Claims up to {@code limit} due tasks of these types in the default queue. */
    public static List<ClaimedTask> claim(LeaseRepository worker, int limit, List<String> types) {
        return worker.claimDue(request(limit, List.of(), types, Long.MAX_VALUE));
    }

    /** How many more attempts a task has. */
    public int attemptsLeft(TaskId id) {
        return jdbc().sql("select max_attempts - attempts from konduit_task where id = :id")
                .param("id", id.value())
                .query(Integer.class)
                .single();
    }

    /** Passes until nothing is left to reclaim; returns how many tasks were. */
    public static int reclaimAll(OrphanReclaimer reclaimer) {
        int all = 0;
        ReclaimResult result;
        do {
            result = reclaimer.reclaimOnce();
            all += result.total();
        } while (result.total() + result.busy() > 0);
        return all;
    }

    private List<String> everyType() {
        return jdbc().sql("select distinct type from konduit_task")
                .query(String.class)
                .list();
    }

    /** Claims the one task that is due, as a worker with these handlers would. */
    public ClaimedTask claimOne(LeaseRepository worker, ClaimRequest.Declared... handlers) {
        List<ClaimedTask> claimed = worker.claimDue(request(1, List.of(handlers), everyType(), Long.MAX_VALUE));
        if (claimed.size() != 1) {
            throw new AssertionError("Expected one due task, found " + claimed);
        }
        return claimed.get(0);
    }

    /** Enqueues a task and lets the worker claim it. */
    public ClaimedTask running(LeaseRepository worker, TaskRequest request) {
        TaskId id = queue().enqueue(request);
        makeDue(id);
        ClaimedTask claimed = claimOne(worker);
        if (claimed.id() != id.value()) {
            throw new AssertionError("Expected task " + id + " to be due alone, found " + claimed);
        }
        return claimed;
    }

    public ClaimedTask running(LeaseRepository worker) {
        return running(worker, TaskRequest.of("report", null));
    }

    /** A task whose worker was lost: its lease ended a second ago. */
    public ClaimedTask orphan(LeaseRepository worker, TaskRequest request) {
        ClaimedTask task = running(worker, request);
        expire(task, Duration.ofSeconds(1));
        return task;
    }

    public ClaimedTask orphan(LeaseRepository worker) {
        return orphan(worker, TaskRequest.of("report", null));
    }

    /** Lets the lease have ended this long ago by the database's clock. */
    public void expire(ClaimedTask task, Duration ago) {
        expireLease(task.id(), ago);
    }

    /** The waiting task is claimed by a new worker, which is lost at once, and the reaper takes the task back. */
    public void crashOnce(TaskId id) {
        makeDue(id);
        expire(claimOne(newWorker()), Duration.ofSeconds(1));
        reclaimer().reclaimOnce();
    }
}
