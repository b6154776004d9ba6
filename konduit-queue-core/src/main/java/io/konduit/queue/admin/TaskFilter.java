package io.konduit.queue.admin;

import io.konduit.queue.HoldReason;
import io.konduit.queue.TaskStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects the tasks for a {@link BulkAction}. Immutable: each call returns a new filter, and all its conditions must hold.
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
        if (errorType != null && (errorType.isBlank() || errorType.indexOf('\0') >= 0)) {
            throw new InvalidRequestException(
                    "Expected errorType of the filter to be the name of a class, such as java.net.SocketTimeoutException.");
        }
        requireSane("createdAfter", createdAfter);
        requireSane("createdBefore", createdBefore);
        requireSane("finishedAfter", finishedAfter);
        requireSane("finishedBefore", finishedBefore);
    }

    /** A filter without conditions yet. */
    public static TaskFilter where() {
        return new TaskFilter(null, null, null, null, null, null, null, null, null, false);
    }

    /** Every task that the action applies to. */
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

    /** Tasks whose newest error has this class as its root cause, such as {@code java.net.SocketTimeoutException}. */
    public TaskFilter errorType(String name) {
        return new TaskFilter(
                queue, type, status, holdReason, name, createdAfter, createdBefore, finishedAfter, finishedBefore, all);
    }

    /** Tasks enqueued at or after this time. */
    public TaskFilter createdAfter(Instant time) {
        return new TaskFilter(
                queue, type, status, holdReason, errorType, time, createdBefore, finishedAfter, finishedBefore, all);
    }

    /** Tasks enqueued before this time. */
    public TaskFilter createdBefore(Instant time) {
        return new TaskFilter(
                queue, type, status, holdReason, errorType, createdAfter, time, finishedAfter, finishedBefore, all);
    }

    /** Tasks that failed at or after this time. */
    public TaskFilter finishedAfter(Instant time) {
        return new TaskFilter(
                queue, type, status, holdReason, errorType, createdAfter, createdBefore, time, finishedBefore, all);
    }

    /** Tasks that failed before this time. */
    public TaskFilter finishedBefore(Instant time) {
        return new TaskFilter(
                queue, type, status, holdReason, errorType, createdAfter, createdBefore, finishedAfter, time, all);
    }

    private static void requireSane(String name, @Nullable Instant time) {
        if (time != null && (time.isBefore(EARLIEST) || time.isAfter(LATEST))) {
            throw new InvalidRequestException("Expected " + name + " of the filter to be between " + EARLIEST + " and "
                    + LATEST + ", but it is " + time + ".");
        }
    }
}
