package io.konduit.queue;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.OutageGuard;
import io.konduit.queue.recovery.ReclaimMonitor;
import io.konduit.queue.recovery.ReclaimPolicy;
import io.konduit.queue.store.AdministrationRepository;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ControlPool;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import io.konduit.queue.store.TaskRepository;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Recovery on one test database: what it consists of, orphans for it, and a look at the rows it leaves behind. */
public final class RecoveryFixture {
    /** Who the reaper of the fixture says it is. */
    public static final String REAPER = "reaper@test";

    private static final List<AutoCloseable> POOLS = new CopyOnWriteArrayList<>();

    private final QueueDatabase database;
    private final List<Object> events = new CopyOnWriteArrayList<>();
    private final List<Set<String>> wakeUps = new CopyOnWriteArrayList<>();
    private final List<Reclaimed> monitored = new CopyOnWriteArrayList<>();

    public RecoveryFixture(QueueDatabase database) {
        this.database = database;
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

    public QueueDatabase database() {
        return database;
    }

    public JdbcClient jdbc() {
        return JdbcClient.create(database.application());
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

    /** A reaper that trusts the database's clock at once. */
    public OrphanReclaimer reclaimer(ReclaimPolicy policy) {
        return reclaimer(policy, surroundings(new QueueEvents(events::add)));
    }

    public OrphanReclaimer reclaimer(ReclaimPolicy policy, OrphanReclaimer.Surroundings surroundings) {
        OutageGuard guard = new OutageGuard(Duration.ZERO, System::nanoTime);
        return new OrphanReclaimer(new ReclaimRepository(database), policy, guard, surroundings, System::nanoTime);
    }

    public AbandonedLeaseCleaner cleaner(ReclaimPolicy policy, Duration threshold) {
        return new AbandonedLeaseCleaner(
                new ReclaimRepository(database), policy, threshold, surroundings(new QueueEvents(events::add)));
    }

    public TaskAdministration administration() {
        return administration(ReclaimPolicy.defaults());
    }

    public TaskAdministration administration(ReclaimPolicy policy) {
        return new TaskAdministration(
                new AdministrationRepository(database),
                new TaskRepository(database),
                new ReclaimRepository(database),
                reclaimer(policy),
                cleaner(policy, Duration.ofDays(7)),
                wakeUps::add);
    }

    public OrphanReclaimer.Surroundings surroundings(QueueEvents events) {
        ReclaimMonitor monitor = new ReclaimMonitor() {
            @Override
            public void reclaimed(Reclaimed task) {
                monitored.add(task);
            }
        };
        return new OrphanReclaimer.Surroundings(events, monitor, wakeUps::add, REAPER);
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

    public LeaseRepository newWorker() {
        return new LeaseRepository(database, UUID.randomUUID());
    }

    public TaskQueue queue(Object... handlerBeans) {
        return new io.konduit.queue.enqueue.TransactionalTaskQueue(
                new TaskRepository(database),
                QueueHarness.registry(handlerBeans),
                QueueHarness.converter(),
                false,
                QueueHarness.quietSurroundings());
    }

    /** Claims the one task that is due, as a worker with these handlers would. */
    public ClaimedTask claimOne(LeaseRepository worker, ClaimRequest.Declared... handlers) {
        List<ClaimRequest.Probe> probes = Arrays.stream(Priority.values())
                .map(priority -> new ClaimRequest.Probe(TaskNames.DEFAULT_QUEUE, priority.level(), "-infinity"))
                .toList();
        List<ClaimedTask> claimed = worker.claimDue(new ClaimRequest(
                probes, 1, Duration.ofMinutes(5), 3, List.of(handlers), QueueHarness.everyType(jdbc())));
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
        int rows = jdbc().sql("update konduit_task set lock_timeout_at = clock_timestamp() - :us * interval '1 us'"
                        + " where id = :id and status = 'RUNNING'")
                .param("us", ago.toNanos() / 1_000)
                .param("id", task.id())
                .update();
        if (rows != 1) {
            throw new AssertionError(task + " is not RUNNING");
        }
    }

    /** Lets a waiting task be due now. */
    public void makeDue(TaskId id) {
        jdbc().sql("update konduit_task set run_at = clock_timestamp() - interval '1 ms'"
                        + " where id = :id and status = 'PENDING'")
                .param("id", id.value())
                .update();
    }

    /** The waiting task is claimed by a new worker, which is lost at once, and the reaper takes the task back. */
    public void crashOnce(TaskId id) {
        makeDue(id);
        expire(claimOne(newWorker()), Duration.ofSeconds(1));
        reclaimer().reclaimOnce();
    }

    /** The row of a live task, column by column. */
    public Map<String, Object> row(long id) {
        return jdbc().sql("select * from konduit_task where id = :id")
                .param("id", id)
                .query()
                .singleRow();
    }

    public Map<String, Object> row(TaskId id) {
        return row(id.value());
    }

    /** The evidence of a task, oldest first. */
    public List<Map<String, Object>> incidents(long id) {
        return jdbc().sql("select * from konduit_task_incident where task_id = :id order by id")
                .param("id", id)
                .query()
                .listOfRows();
    }

    public List<Map<String, Object>> incidents(TaskId id) {
        return incidents(id.value());
    }

    public String status(long id) {
        return jdbc().sql("select status from konduit_tasks where id = :id")
                .param("id", id)
                .query(String.class)
                .optional()
                .orElse("GONE");
    }

    public long count(String sql) {
        return jdbc().sql(sql).query(Long.class).single();
    }

    /**
     * Inserts running tasks in bulk, past the invariant trigger.
     *
     * @param expiredMs how long ago the lease of the first ended, in milliseconds; each next one ended one later.
     *     Negative for leases that go on.
     */
    public void insertRunning(int tasks, UUID owner, long expiredMs) {
        String sql = "insert into konduit_task (queue, type, payload, priority, status, run_at, attempts, max_attempts,"
                + " reapable, lease_epoch, locked_by, locked_at, lock_timeout_at, created_at)"
                + " select 'default', 'report', '{}', 2, 'RUNNING', clock_timestamp() - interval '1 day', 1, 3, true, 1, ?,"
                + " clock_timestamp() - interval '1 hour', clock_timestamp() - (? - n) * interval '1 ms',"
                + " clock_timestamp() - interval '1 day' from generate_series(0, ? - 1) n";
        bulk(sql, statement -> {
            statement.setObject(1, owner);
            statement.setLong(2, expiredMs);
            statement.setInt(3, tasks);
        });
    }

    /** Parameters of a bulk statement. */
    public interface Binder {
        void bind(PreparedStatement statement) throws SQLException;
    }

    /** A statement for many rows that no trigger sees. */
    public void bulk(String sql, Binder binder) {
        try (Connection connection = database.application().getConnection()) {
            connection.setAutoCommit(false);
            try (Statement setting = connection.createStatement();
                    PreparedStatement statement = connection.prepareStatement(sql)) {
                setting.execute("set local session_replication_role = replica");
                binder.bind(statement);
                statement.executeUpdate();
                connection.commit();
            } finally {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }
}
