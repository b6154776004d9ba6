package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.HoldReason;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.TaskFilter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The parameters of a bulk action, as text. */
record BulkBody(
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
        ActionBody action) {

    private static final int DEFAULT_LIMIT = 10_000;

    TaskFilter filter() {
        return new TaskFilter(
                given("queue", queue),
                given("type", type),
                constant("status", TaskStatus.class, status),
                constant("holdReason", HoldReason.class, holdReason),
                given("errorType", errorType),
                instant("createdAfter", createdAfter),
                instant("createdBefore", createdBefore),
                instant("finishedAfter", finishedAfter),
                instant("finishedBefore", finishedBefore),
                ParameterText.truth("'all'", all, false));
    }

    boolean isDryRun() {
        return ParameterText.truth("'dryRun'", dryRun, true);
    }

    int rowLimit() {
        return ParameterText.wholeNumber("'limit'", given("limit", limit), DEFAULT_LIMIT);
    }

    /** An empty condition would match everything. Most likely a script's variable is not set. */
    private static @Nullable String given(String name, @Nullable String text) {
        if (text != null && text.isBlank()) {
            throw new InvalidRequestException("Expected '" + name
                    + "' to have a value, but it is empty. Omit it to match any value. Nothing was changed.");
        }
        return text;
    }

    private static @Nullable Instant instant(String name, @Nullable String text) {
        String wanted = given(name, text);
        return wanted == null ? null : ParameterText.instant(quoted(name), wanted);
    }

    private static <T extends Enum<T>> @Nullable T constant(String name, Class<T> type, @Nullable String text) {
        String wanted = given(name, text);
        return wanted == null ? null : ParameterText.constant(quoted(name), type, wanted);
    }

    private static String quoted(String name) {
        return "'" + name + "'";
    }
}
