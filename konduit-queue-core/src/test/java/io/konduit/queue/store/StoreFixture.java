package io.konduit.queue.store;

import io.konduit.queue.Priority;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskNames;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.enqueue.TransactionalTaskQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** What the tests of the store do by hand. */
final class StoreFixture {
    private StoreFixture() {}

    /** A queue without handlers that wakes nobody. */
    static TaskQueue queueOn(QueueDatabase database) {
        return new TransactionalTaskQueue(
                new TaskRepository(database),
                QueueHarness.registry(),
                QueueHarness.converter(),
                false,
                QueueHarness.quietSurroundings());
    }

    static List<ClaimRequest.Probe> probes(String... queues) {
        List<ClaimRequest.Probe> probes = new ArrayList<>();
        for (Priority priority : Priority.values()) {
            for (String queue : queues) {
                probes.add(new ClaimRequest.Probe(queue, priority.level(), "-infinity"));
            }
        }
        return probes;
    }

    /** What a worker asks for that has handlers of the types that these tests use. */
    static ClaimRequest request(int most, Collection<ClaimRequest.Declared> handlers) {
        return request(most, handlers, List.of("noop", "mail", "pay"), Long.MAX_VALUE);
    }

    static ClaimRequest request(
            int most, Collection<ClaimRequest.Declared> handlers, Collection<String> types, long budget) {
        return new ClaimRequest(
                probes(TaskNames.DEFAULT_QUEUE), most, Duration.ofMinutes(5), 3, handlers, types, budget);
    }

    /** What the reaper does with an expired lease: the task waits again, with its incident. */
    static void reclaim(QueueHarness harness, long id) {
        take(harness, id, "status = 'PENDING', hold_reason = null", "RECLAIMED");
    }

    /** What the reaper does with the expired lease of a task that must not run twice. */
    static void hold(QueueHarness harness, long id) {
        take(harness, id, "status = 'HELD', hold_reason = 'NOT_REAPABLE'", "HELD");
    }

    private static void take(QueueHarness harness, long id, String change, String action) {
        harness.testDatabase().execute("""
                with taken as (
                  update konduit_task t set %s, zombie_count = t.zombie_count + 1,
                         locked_by = null, locked_at = null, lock_timeout_at = null
                    from konduit_task o where t.id = %d and o.id = t.id and o.status = 'RUNNING'
                  returning t.*, o.locked_by as owner)
                insert into konduit_task_incident
                       (task_id, queue, type, classification, action, actor, previous_owner, lease_epoch, detected_at, attempts, zombie_count)
                select id, queue, type, 'ZOMBIE', '%s', 'test', owner, lease_epoch, clock_timestamp(), attempts, zombie_count from taken
                """.formatted(change, id, action));
    }

    /** The whole row, wherever it is. */
    static String row(QueueHarness harness, long id) {
        return harness.jdbc()
                .sql("select to_jsonb(t)::text from konduit_task t where id = :id union all"
                        + " select to_jsonb(h)::text from konduit_task_history h where id = :id")
                .param("id", id)
                .query(String.class)
                .single();
    }

    static <T> T column(QueueHarness harness, long id, String column, Class<T> type) {
        return harness.jdbc()
                .sql("select " + column + " from konduit_task where id = :id")
                .param("id", id)
                .query(type)
                .single();
    }
}
