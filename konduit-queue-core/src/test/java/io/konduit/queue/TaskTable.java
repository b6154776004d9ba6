package io.konduit.queue;

import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tables of one test database: what is in them, and what tests change behind the queue's back. */
public abstract class TaskTable {
    public abstract QueueDatabase database();

    public JdbcClient jdbc() {
        return JdbcClient.create(database().application());
    }

    /** Lets the lease of a task have ended this long ago. */
    public void expireLease(long taskId, Duration ago) {
        int rows = jdbc().sql("update konduit_task set lock_timeout_at = clock_timestamp() - :us * interval '1 us'"
                        + " where id = :id and status = 'RUNNING'")
                .param("us", ago.toNanos() / 1_000)
                .param("id", taskId)
                .update();
        if (rows != 1) {
            throw new AssertionError("Task " + taskId + " is not RUNNING");
        }
    }

    /** Lets a waiting task be due now. */
    public void makeDue(TaskId id) {
        makeDue(id.value());
    }

    public void makeDue(long taskId) {
        jdbc().sql("update konduit_task set run_at = clock_timestamp() - interval '1 ms'"
                        + " where id = :id and status = 'PENDING'")
                .param("id", taskId)
                .update();
    }

    /** What the reaper does with an expired lease, whether it has expired or not: the task waits again, with its incident. */
    public void takeBack(long id) {
        take(id, "status = 'PENDING', hold_reason = null", "RECLAIMED");
    }

    /** What the reaper does with the expired lease of a task that must not run twice. */
    public void hold(long id) {
        take(id, "status = 'HELD', hold_reason = 'NOT_REAPABLE'", "HELD");
    }

    private void take(long id, String change, String action) {
        jdbc().sql("""
                with taken as (
                  update konduit_task t set %s, zombie_count = t.zombie_count + 1,
                         locked_by = null, locked_at = null, lock_timeout_at = null
                    from konduit_task o where t.id = %d and o.id = t.id and o.status = 'RUNNING'
                  returning t.*, o.locked_by as owner)
                insert into konduit_task_incident
                       (task_id, queue, type, classification, action, actor, previous_owner, lease_epoch, detected_at, attempts, zombie_count)
                select id, queue, type, 'ZOMBIE', '%s', 'test', owner, lease_epoch, clock_timestamp(), attempts, zombie_count from taken
                """.formatted(change, id, action)).update();
    }

    /** Every column of a task, live or finished. */
    public String wholeRow(long id) {
        return jdbc().sql("select to_jsonb(t)::text from konduit_task t where id = :id union all"
                        + " select to_jsonb(h)::text from konduit_task_history h where id = :id")
                .param("id", id)
                .query(String.class)
                .single();
    }

    /** An expression over the columns of a live task. */
    public <T> T column(long id, String expression, Class<T> type) {
        return jdbc().sql("select " + expression + " from konduit_task where id = :id")
                .param("id", id)
                .query(type)
                .single();
    }

    /** The row of a live task. */
    public StoredTask row(long id) {
        return find(id).orElseThrow(() -> new AssertionError("Task " + id + " is not live"));
    }

    public StoredTask row(TaskId id) {
        return row(id.value());
    }

    private Optional<StoredTask> find(long id) {
        return jdbc().sql("select " + StoredTask.COLUMNS + " from konduit_task t where id = :id")
                .param("id", id)
                .query(StoredTask::of)
                .optional();
    }

    /** The evidence of a task, oldest first. */
    public List<StoredIncident> incidents(long id) {
        return jdbc().sql("select * from konduit_task_incident where task_id = :id order by id")
                .param("id", id)
                .query(StoredIncident::of)
                .list();
    }

    public List<StoredIncident> incidents(TaskId id) {
        return incidents(id.value());
    }

    public TaskAssert assertThatTask(TaskId id) {
        return assertThatTask(id.value());
    }

    /** Begins to say what is expected of a task, live or not. */
    public TaskAssert assertThatTask(long id) {
        return new TaskAssert(id, find(id).orElse(null), status(id), incidents(id));
    }

    public String status(TaskId id) {
        return status(id.value());
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
        try (Connection connection = database().application().getConnection()) {
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
