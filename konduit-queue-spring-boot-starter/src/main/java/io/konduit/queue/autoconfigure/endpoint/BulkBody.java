package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.HoldReason;
import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.TaskFilter;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a caller says with a bulk action, as text. */
record BulkBody(
        @Nullable String queue,
        @Nullable String type,
        @Nullable String status,
        @Nullable String holdReason,
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
                given(queue),
                given(type),
                constant("status", TaskStatus.class, status),
                constant("holdReason", HoldReason.class, holdReason),
                ActionBody.instant("createdAfter", createdAfter),
                ActionBody.instant("createdBefore", createdBefore),
                ActionBody.instant("finishedAfter", finishedAfter),
                ActionBody.instant("finishedBefore", finishedBefore),
                ListQuery.truth("'all'", all, false));
    }

    boolean isDryRun() {
        return ListQuery.truth("'dryRun'", dryRun, true);
    }

    int most() {
        return ListQuery.wholeNumber("'limit'", limit, DEFAULT_LIMIT);
    }

    private static @Nullable String given(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    private static <T extends Enum<T>> @Nullable T constant(String name, Class<T> type, @Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        try {
            return Enum.valueOf(type, text.trim().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new InvalidTaskException("Expected '" + name + "' to be one of "
                    + Arrays.toString(type.getEnumConstants()) + ", but found '" + ListQuery.cut(text) + "'.");
        }
    }
}
