package io.konduit.queue.operator;

import io.konduit.queue.test.TestDatabase;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tasks in whatever state a test needs, in a queue that no worker serves unless it says otherwise. */
final class Rows {
    static final String QUEUE = "parked";

    private final JdbcClient jdbc;

    Rows(TestDatabase database) {
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    JdbcClient jdbc() {
        return jdbc;
    }

    void clear() {
        jdbc.sql(
                        "truncate konduit_task, konduit_task_history, konduit_task_incident, konduit_task_error, konduit_queue, konduit_queue_audit, konduit_audit")
                .update();
        jdbc.sql("delete from konduit_worker where host = 'host-1'").update();
    }

    long pending(String type) {
        return insert("PENDING", type, "clock_timestamp() - interval '90 s'", "");
    }

    long dueLater(String type) {
        return insert("PENDING", type, "clock_timestamp() + interval '10 min'", "");
    }

    long running(String type, UUID worker, String leaseEnd) {
        return insert(
                "RUNNING",
                type,
                "clock_timestamp()",
                ", locked_by = '" + worker
                        + "', locked_at = clock_timestamp() - interval '1 min', lock_timeout_at = clock_timestamp() + interval '"
                        + leaseEnd + "', attempts = 1, max_attempts = 3, reapable = true, lease_epoch = 1");
    }

    long held(String type) {
        long id = insert(
                "HELD",
                type,
                "clock_timestamp()",
                ", hold_reason = 'NOT_REAPABLE', zombie_count = 1, attempts = 1, max_attempts = 3, reapable = false, lease_epoch = 1");
        incident(id, type, "HELD", "1 h");
        return id;
    }

    long failed(String type) {
        long id = insert(
                "FAILED",
                type,
                "clock_timestamp()",
                ", finished_at = clock_timestamp(), attempts = 3, max_attempts = 3, last_error = 'java.io.IOException: disk full of "
                        + CANARY + "'");
        error(id, 1, "RETRIED");
        error(id, 2, "RETRIED");
        error(id, 3, "FAILED");
        return id;
    }

    void error(long task, int attempt, String outcome) {
        jdbc.sql("""
                insert into konduit_task_error (task_id, lease_epoch, attempt, type, message, stack, outcome, worker, at)
                values (:task, :attempt, :attempt, 'java.io.IOException', 'disk full of ' || :canary,
                       'java.io.IOException' || chr(10) || '    at x.Y.z(Y.java:1)', :outcome, gen_random_uuid(), clock_timestamp())
                """)
                .param("task", task)
                .param("attempt", attempt)
                .param("canary", CANARY)
                .param("outcome", outcome)
                .update();
    }

    /** Must never be seen. */
    static final String CANARY = "canary-4711-secret";

    long completed(String type) {
        return jdbc.sql("""
                insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts, max_attempts, zombie_count,
                       lease_epoch, created_at, finished_at)
                values (nextval(pg_get_serial_sequence('konduit_task', 'id')), :queue, :type, '{"secret": "canary-4711-secret"}', 2,
                       'COMPLETED', clock_timestamp(), 1, 3, 0, 1, clock_timestamp(), clock_timestamp())
                returning id
                """)
                .param("queue", QUEUE)
                .param("type", type)
                .query(Long.class)
                .single();
    }

    void incident(long task, String type, String action, String ago) {
        jdbc.sql("""
                insert into konduit_task_incident (task_id, queue, type, classification, action, actor, previous_owner, lease_epoch,
                       lease_started_at, lease_ended_at, detected_at, detection_delay_ms, attempts, zombie_count)
                select :task, :queue, :type, 'ZOMBIE', :action, 'reaper@test', gen_random_uuid(), 1,
                       t.at - interval '6 min', t.at - interval '1 s', t.at, 1000, 1, 1
                  from (select clock_timestamp() - :ago::interval as at) t
                """)
                .param("task", task)
                .param("queue", QUEUE)
                .param("type", type)
                .param("action", action)
                .param("ago", ago)
                .update();
    }

    UUID worker(String name, String... queues) {
        return worker(name, "0 s", queues);
    }

    /** One that nobody has heard of for some minutes, and that nobody has marked. */
    UUID silentWorker(String name, String... queues) {
        return worker(name, "5 min", queues);
    }

    private UUID worker(String name, String silent, String[] queues) {
        UUID id = UUID.randomUUID();
        jdbc.sql("""
                insert into konduit_worker (id, name, host, pid, version, queues, concurrency, status, started_at, last_beat_at)
                values (:id, :name, 'host-1', 42, '1.0', string_to_array(:queues, ','), 4, 'ACTIVE',
                       clock_timestamp() - interval '1 h', clock_timestamp() - :silent::interval)
                """)
                .param("id", id)
                .param("name", name)
                .param("queues", String.join(",", queues))
                .param("silent", silent)
                .update();
        return id;
    }

    void update(long id, String set) {
        jdbc.sql("update konduit_task set " + set + " where id = " + id).update();
    }

    String status(long id) {
        return jdbc.sql("select status from konduit_tasks where id = :id")
                .param("id", id)
                .query(String.class)
                .optional()
                .orElse("GONE");
    }

    /** Every row of every table, to show that nothing changed. */
    List<String> everything() {
        return jdbc.sql("""
                select to_jsonb(t)::text from konduit_task t union all select to_jsonb(h)::text from konduit_task_history h
                union all select to_jsonb(i)::text from konduit_task_incident i union all select to_jsonb(q)::text from konduit_queue q
                union all select to_jsonb(a)::text from konduit_queue_audit a union all select to_jsonb(b)::text from konduit_audit b
                union all select to_jsonb(e)::text from konduit_task_error e
                """).query(String.class).list();
    }

    private long insert(String status, String type, String runAt, String set) {
        long id = jdbc.sql("""
                insert into konduit_task (queue, type, payload, checkpoint, priority, status, run_at, created_at)
                values (:queue, :type, '{"secret": "canary-4711-secret"}', '{"at": "canary-4711-secret"}', 2, 'PENDING', %s, clock_timestamp())
                returning id
                """.formatted(runAt))
                .param("queue", QUEUE)
                .param("type", type)
                .query(Long.class)
                .single();
        if (!set.isEmpty()) {
            update(id, "status = '" + status + "'" + set);
        }
        return id;
    }
}
