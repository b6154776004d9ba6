package io.konduit.queue.admin;

import io.konduit.queue.HoldReason;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.TaskNames;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.store.BulkRepository.Criteria;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Which tasks a {@link BulkAction} is about. Immutable: each call returns a new filter, and all its conditions must hold.
 * A filter without a condition is refused, unless it is {@link #everything()}.
 *
 * <pre>{@code
 * TaskFilter.where().queue("mail").type("welcome-mail").finishedAfter(outageBegan)
 * }</pre>
 */
public record TaskFilter(
        @Nullable String queue,
        @Nullable String type,
        @Nullable TaskStatus status,
        @Nullable HoldReason holdReason,
        @Nullable String errorType,
        @Nullable Instant createdAfter,
        @Nullable Instant createdBefore,
        @Nullable Instant finishedAfter,
        @Nullable Instant finishedBefore,
        boolean all) {

    private static final Instant EARLIEST = Instant.EPOCH;
    private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    public TaskFilter {
        if (queue != null) {
            TaskNames.requireQueue(queue, "the queue of the filter");
        }
        if (type != null) {
            TaskNames.requireType(type, "the type of the filter");
        }
        if (errorType != null && (errorType.isBlank() || errorType.indexOf('\0') >= 0)) {
            throw new InvalidTaskException(
                    "Expected errorType of the filter to be the name of a class, such as java.net.SocketTimeoutException.");
        }
        requireSane("createdAfter", createdAfter);
        requireSane("createdBefore", createdBefore);
        requireSane("finishedAfter", finishedAfter);
        requireSane("finishedBefore", finishedBefore);
    }

    /** Conditions follow. */
    public static TaskFilter where() {
        return new TaskFilter(null, null, null, null, null, null, null, null, null, false);
    }

    /** Every task that the action can be done to. */
    public static TaskFilter everything() {
        return new TaskFilter(null, null, null, null, null, null, null, null, null, true);
    }

    public TaskFilter queue(String name) {
        return new TaskFilter(
                name,
                type,
                status,
                holdReason,
                errorType,
                createdAfter,
                createdBefore,
                finishedAfter,
                finishedBefore,
                all);
    }

    public TaskFilter type(String name) {
        return new TaskFilter(
                queue,
                name,
                status,
                holdReason,
                errorType,
                createdAfter,
                createdBefore,
                finishedAfter,
                finishedBefore,
                all);
    }

    public TaskFilter status(TaskStatus wanted) {
        return new TaskFilter(
                queue,
                type,
                wanted,
                holdReason,
                errorType,
                createdAfter,
                createdBefore,
                finishedAfter,
                finishedBefore,
                all);
    }

    public TaskFilter holdReason(HoldReason reason) {
        return new TaskFilter(
                queue,
                type,
                status,
                reason,
                errorType,
                createdAfter,
                createdBefore,
                finishedAfter,
                finishedBefore,
                all);
    }

    /** Whose newest error has this class as its root cause, such as {@code java.net.SocketTimeoutException}. */
    public TaskFilter errorType(String name) {
        return new TaskFilter(
                queue, type, status, holdReason, name, createdAfter, createdBefore, finishedAfter, finishedBefore, all);
    }

    /** Enqueued then or later. */
    public TaskFilter createdAfter(Instant time) {
        return new TaskFilter(
                queue, type, status, holdReason, errorType, time, createdBefore, finishedAfter, finishedBefore, all);
    }

    /** Enqueued earlier than then. */
    public TaskFilter createdBefore(Instant time) {
        return new TaskFilter(
                queue, type, status, holdReason, errorType, createdAfter, time, finishedAfter, finishedBefore, all);
    }

    /** Failed then or later. */
    public TaskFilter finishedAfter(Instant time) {
        return new TaskFilter(
                queue, type, status, holdReason, errorType, createdAfter, createdBefore, time, finishedBefore, all);
    }

    /** Failed earlier than then. */
    public TaskFilter finishedBefore(Instant time) {
        return new TaskFilter(
                queue, type, status, holdReason, errorType, createdAfter, createdBefore, finishedAfter, time, all);
    }

    /** What the action can be done to and the filter asks for. */
    Criteria criteria(BulkAction action) {
        Map<String, Object> conditions = conditions();
        if (conditions.isEmpty() && !all) {
            throw new InvalidTaskException(
                    "Expected the filter to have a condition, such as a queue or a type, but it has none. Say 'all' if every task is meant.");
        }
        Set<TaskStatus> statuses = EnumSet.copyOf(action.kind().from());
        if (status != null) {
            if (!statuses.contains(status)) {
                throw new InvalidTaskException("Expected the status of the filter to be one of " + statuses + " for "
                        + action + ", but it is " + status + ".");
            }
            statuses = EnumSet.of(status);
        }
        if (finishedAfter != null || finishedBefore != null) {
            retain(statuses, TaskStatus.FAILED, "a time of failure", action);
        }
        if (holdReason != null) {
            retain(statuses, TaskStatus.HELD, "a reason to hold", action);
        }
        return new Criteria(
                statuses,
                queue,
                type,
                holdReason,
                errorType,
                createdAfter,
                createdBefore,
                finishedAfter,
                finishedBefore);
    }

    /** A task that has meanwhile changed its state has that no more, and is no longer meant. */
    private static void retain(Set<TaskStatus> statuses, TaskStatus only, String what, BulkAction action) {
        if (!statuses.contains(only)) {
            throw new InvalidTaskException("Expected no condition on " + what + " for " + action + " of " + statuses
                    + ": only " + only + " tasks have one.");
        }
        statuses.retainAll(Set.of(only));
    }

    /** As the audit keeps it. */
    String json() {
        Map<String, Object> fields = conditions();
        if (all) {
            fields.put("all", true);
        }
        return JsonMapper.shared().writeValueAsString(fields);
    }

    private Map<String, Object> conditions() {
        Map<String, Object> fields = new LinkedHashMap<>();
        put(fields, "queue", queue);
        put(fields, "type", type);
        put(fields, "status", status);
        put(fields, "holdReason", holdReason);
        put(fields, "errorType", errorType);
        put(fields, "createdAfter", createdAfter);
        put(fields, "createdBefore", createdBefore);
        put(fields, "finishedAfter", finishedAfter);
        put(fields, "finishedBefore", finishedBefore);
        return fields;
    }

    private static void put(Map<String, Object> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value.toString());
        }
    }

    private static void requireSane(String name, @Nullable Instant time) {
        if (time != null && (time.isBefore(EARLIEST) || time.isAfter(LATEST))) {
            throw new InvalidTaskException("Expected " + name + " of the filter to be between " + EARLIEST + " and "
                    + LATEST + ", but it is " + time + ".");
        }
    }
}
