package io.konduit.queue.autoconfigure.endpoint;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The queue for operators, as JMX sees it; over the web {@link KonduitQueueWebExtension} answers. Parameters are text,
 * so that every mistake gets an answer that says what was expected.
 * Actuator binds parameters by the names in a method, so both list them; all else is in {@link QueueOperations}.
 */
@Endpoint(id = "konduitqueue")
public class KonduitQueueEndpoint {
    private static final String ACTOR = "jmx";

    private final QueueOperations operations;

    KonduitQueueEndpoint(QueueOperations operations) {
        this.operations = operations;
    }

    /** The overview. */
    @ReadOperation
    public OperationResponseBody overview() {
        return operations.reads().overview();
    }

    /** One of the lists: queues, workers, held, zombies, incidents, tasks, orphans, decisions, audit, schedules. */
    @ReadOperation
    public OperationResponseBody list(
            @Selector String list,
            @Nullable String type,
            @Nullable String status,
            @Nullable String queue,
            @Nullable String key,
            @Nullable String above,
            @Nullable String since,
            @Nullable String before,
            @Nullable String after,
            @Nullable String size) {
        return operations
                .reads()
                .list(
                        list,
                        new ListQuery(type, status, queue, key, above, since, before, after, size),
                        operations.reads().disclosure().isForAnybody());
    }

    /** One task with its whole story: {@code tasks/{id}}; one schedule with its last firings: {@code schedules/{name}}. */
    @ReadOperation
    public OperationResponseBody show(@Selector String list, @Selector String id) {
        return operations.reads().show(list, id, operations.reads().disclosure().isForAnybody());
    }

    /** {@code reclaim} and {@code clean-abandoned}: only list what they would take back unless {@code dryRun} is false. */
    @WriteOperation
    public OperationResponseBody command(
            @Selector String command, @Nullable String dryRun, @Nullable String size, @Nullable String note) {
        return operations.command(command, dryRun, size, note, ACTOR);
    }

    /** {@code bulk/release|fail|retry|cancel|reschedule}: only counts what matches unless {@code dryRun} is false. */
    @WriteOperation
    public OperationResponseBody bulk(
            @Selector String list,
            @Selector String action,
            @Nullable String queue,
            @Nullable String type,
            @Nullable String status,
            @Nullable String holdReason,
            @Nullable String errorType,
            @Nullable String createdAfter,
            @Nullable String createdBefore,
            @Nullable String finishedAfter,
            @Nullable String finishedBefore,
            @Nullable String all,
            @Nullable String dryRun,
            @Nullable String limit,
            @Nullable String note,
            @Nullable String attempts,
            @Nullable String runAt,
            @Nullable String delay) {
        BulkBody body = new BulkBody(
                queue,
                type,
                status,
                holdReason,
                errorType,
                createdAfter,
                createdBefore,
                finishedAfter,
                finishedBefore,
                all,
                dryRun,
                limit,
                new ActionBody(note, attempts, runAt, delay));
        return operations.bulk(list, action, body, ACTOR);
    }

    /** {@code tasks/{id}/release|fail|retry|cancel|reschedule} {@code queues/{name}/pause|resume},
     * {@code workers/{id}/drain|resume} and {@code schedules/{name}/pause|resume|run-now}. */
    @WriteOperation
    public OperationResponseBody act(
            @Selector String list,
            @Selector String id,
            @Selector String action,
            @Nullable String note,
            @Nullable String attempts,
            @Nullable String runAt,
            @Nullable String delay) {
        return operations.act(list, id, action, new ActionBody(note, attempts, runAt, delay), ACTOR);
    }
}
