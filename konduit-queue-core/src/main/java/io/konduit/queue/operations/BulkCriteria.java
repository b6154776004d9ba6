package io.konduit.queue.operations;

import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.BulkAction;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.TaskFilter;
import io.konduit.queue.review.BulkRepository.Criteria;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** What a filter means for an action: the tasks that the action applies to and the filter selects. */
final class BulkCriteria {
    private BulkCriteria() {}

    /** Refuses a filter without conditions, or with a condition that no task of the action can meet. */
    static Criteria of(BulkAction action, TaskFilter filter) {
        requireNames(filter);
        if (conditions(filter).isEmpty() && !filter.all()) {
            throw new InvalidRequestException(
                    "Expected the filter to have a condition, such as a queue or a type, but it has none. Set 'all' to match every task.");
        }
        return new Criteria(
                statuses(action, filter),
                filter.queue(),
                filter.type(),
                filter.holdReason(),
                filter.errorType(),
                filter.createdAfter(),
                filter.createdBefore(),
                filter.finishedAfter(),
                filter.finishedBefore());
    }

    /** The filter as stored in the audit. */
    static String json(TaskFilter filter) {
        Map<String, Object> fields = conditions(filter);
        if (filter.all()) {
            fields.put("all", true);
        }
        return JsonMapper.shared().writeValueAsString(fields);
    }

    private static void requireNames(TaskFilter filter) {
        if (filter.queue() != null) {
            SharedRules.requireQueue(filter.queue(), "the queue of the filter");
        }
        if (filter.type() != null) {
            SharedRules.requireType(filter.type(), "the type of the filter");
        }
    }

    private static Set<TaskStatus> statuses(BulkAction action, TaskFilter filter) {
        Set<TaskStatus> statuses = EnumSet.copyOf(action.kind().from());
        TaskStatus status = filter.status();
        if (status != null) {
            if (!statuses.contains(status)) {
                throw new InvalidRequestException("Expected the status of the filter to be one of " + statuses + " for "
                        + action + ", but it is " + status + ".");
            }
            statuses = EnumSet.of(status);
        }
        if (filter.finishedAfter() != null || filter.finishedBefore() != null) {
            retain(statuses, TaskStatus.FAILED, "a time of failure", action);
        }
        if (filter.holdReason() != null) {
            retain(statuses, TaskStatus.HELD, "a reason to hold", action);
        }
        return statuses;
    }

    /** A task that has changed its state in the meantime no longer matches. */
    private static void retain(Set<TaskStatus> statuses, TaskStatus only, String what, BulkAction action) {
        if (!statuses.contains(only)) {
            throw new InvalidRequestException("Expected no condition on " + what + " for " + action + " of " + statuses
                    + ": only " + only + " tasks have one.");
        }
        statuses.retainAll(Set.of(only));
    }

    private static Map<String, Object> conditions(TaskFilter filter) {
        Map<String, Object> fields = new LinkedHashMap<>();
        put(fields, "queue", filter.queue());
        put(fields, "type", filter.type());
        put(fields, "status", filter.status());
        put(fields, "holdReason", filter.holdReason());
        put(fields, "errorType", filter.errorType());
        put(fields, "createdAfter", filter.createdAfter());
        put(fields, "createdBefore", filter.createdBefore());
        put(fields, "finishedAfter", filter.finishedAfter());
        put(fields, "finishedBefore", filter.finishedBefore());
        return fields;
    }

    private static void put(Map<String, Object> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value.toString());
        }
    }
}
