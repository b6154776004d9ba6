package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.Schedules;
import io.konduit.queue.admin.PayloadRedaction;
import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.WorkerAdministration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * The operations of the endpoint for the dashboard, which decides by settings of its own who may read and write. Parameters are
 * text; those that an operation does not have are refused.
 */
public final class OperatorApi {
    private static final Set<String> OF_LIST =
            Set.of("type", "status", "queue", "key", "above", "since", "before", "after", "size");
    private static final Set<String> OF_COMMAND = Set.of("dryRun", "size", "note");
    private static final Set<String> OF_ACTION = Set.of("note", "attempts", "runAt", "delay");
    private static final Set<String> OF_BULK = Set.of(
            "queue",
            "type",
            "status",
            "holdReason",
            "errorType",
            "createdAfter",
            "createdBefore",
            "finishedAfter",
            "finishedBefore",
            "all",
            "dryRun",
            "limit",
            "note",
            "attempts",
            "runAt",
            "delay");

    private final QueueOperations operations;

    /** @param payloadProperty the property that says who sees payloads, for the answer to those who do not */
    public OperatorApi(
            QueueInspection inspection,
            TaskAdministration tasks,
            QueueAdministration queues,
            WorkerAdministration workers,
            Schedules schedules,
            List<PayloadRedaction> redactions,
            String payloadProperty) {
        Disclosure disclosure = new Disclosure(Show.NEVER, Set.of(), redactions, payloadProperty);
        ScheduleOperations ofSchedules = new ScheduleOperations(schedules);
        this.operations = new QueueOperations(
                new QueueReads(inspection, disclosure, ofSchedules),
                inspection,
                tasks,
                queues,
                workers,
                ofSchedules,
                true);
    }

    /** @param disclose whether the caller may see payloads, checkpoints and error messages */
    public OperationResponseBody list(String list, Map<String, String> parameters, boolean disclose) {
        requireKnown(parameters, OF_LIST);
        ListQuery query = new ListQuery(
                parameters.get("type"),
                parameters.get("status"),
                parameters.get("queue"),
                parameters.get("key"),
                parameters.get("above"),
                parameters.get("since"),
                parameters.get("before"),
                parameters.get("after"),
                parameters.get("size"));
        return operations.reads().list(list, query, disclose);
    }

    /** One task with its whole story. */
    public OperationResponseBody task(String id, boolean disclose) {
        return operations.reads().show("tasks", id, disclose);
    }

    public OperationResponseBody command(String command, Map<String, String> parameters, String actor) {
        requireKnown(parameters, OF_COMMAND);
        return operations.command(
                command, parameters.get("dryRun"), parameters.get("size"), parameters.get("note"), actor);
    }

    public OperationResponseBody bulk(String action, Map<String, String> parameters, String actor) {
        requireKnown(parameters, OF_BULK);
        BulkBody body = new BulkBody(
                parameters.get("queue"),
                parameters.get("type"),
                parameters.get("status"),
                parameters.get("holdReason"),
                parameters.get("errorType"),
                parameters.get("createdAfter"),
                parameters.get("createdBefore"),
                parameters.get("finishedAfter"),
                parameters.get("finishedBefore"),
                parameters.get("all"),
                parameters.get("dryRun"),
                parameters.get("limit"),
                action(parameters));
        return operations.bulk(BulkOperations.LIST, action, body, actor);
    }

    public OperationResponseBody act(
            String list, String id, String action, Map<String, String> parameters, String actor) {
        requireKnown(parameters, OF_ACTION);
        return operations.act(list, id, action, action(parameters), actor);
    }

    private static ActionBody action(Map<String, String> parameters) {
        return new ActionBody(
                parameters.get("note"), parameters.get("attempts"), parameters.get("runAt"), parameters.get("delay"));
    }

    private static void requireKnown(Map<String, String> parameters, Set<String> known) {
        List<String> unknown = new ArrayList<>(parameters.keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw KnownParameters.refusal(unknown, new TreeSet<>(known));
        }
    }
}
