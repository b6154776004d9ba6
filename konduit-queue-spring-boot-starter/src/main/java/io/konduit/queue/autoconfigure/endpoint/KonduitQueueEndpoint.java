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
 */
@Endpoint(id = "konduitqueue")
public class KonduitQueueEndpoint {
    private static final String ACTOR = "jmx";

    private final QueueOperations operations;

    KonduitQueueEndpoint(QueueOperations operations) {
        this.operations = operations;
    }

    /** What to look at first. */
    @ReadOperation
    public OperationResponseBody overview() {
        return operations.reads().overview();
    }

    /** One of the lists: queues, workers, held, zombies, incidents, tasks, orphans, decisions. */
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
                .list(list, new ListQuery(type, status, queue, key, above, since, before, after, size));
    }

    /** One task with its whole story: {@code tasks/{id}}. */
    @ReadOperation
    public OperationResponseBody show(@Selector String list, @Selector String id) {
        return operations.reads().show(list, id);
    }

    /** {@code reclaim} and {@code clean-abandoned}: only list what they would take back unless {@code dryRun} is false. */
    @WriteOperation
    public OperationResponseBody command(@Selector String command, @Nullable String dryRun, @Nullable String size) {
        return operations.command(command, dryRun, size, ACTOR);
    }

    /** {@code tasks/{id}/release|fail|retry|cancel} and {@code queues/{name}/pause|resume}. */
    @WriteOperation
    public OperationResponseBody act(
            @Selector String list,
            @Selector String id,
            @Selector String action,
            @Nullable String note,
            @Nullable String attempts) {
        return operations.act(list, id, action, note, attempts, ACTOR);
    }
}
