package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.TaskSearch;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The parameters of a list, as text; each is parsed when a list needs it. */
record ListQuery(
        @Nullable String type,
        @Nullable String status,
        @Nullable String queue,
        @Nullable String key,
        @Nullable String above,
        @Nullable String since,
        @Nullable String before,
        @Nullable String after,
        @Nullable String size) {

    static final int DEFAULT_SIZE = 50;
    private static final Duration DEFAULT_PERIOD = Duration.ofHours(24);

    ListQuery {
        type = given(type);
        status = given(status);
        queue = given(queue);
        key = given(key);
        above = given(above);
        since = given(since);
        before = given(before);
        after = given(after);
        size = given(size);
    }

    static TaskId taskId(String text) {
        return TaskId.of(ParameterText.number("the task id", text));
    }

    /** A cursor as callers see it: an id, or a time and an id. */
    static @Nullable String text(@Nullable Cursor cursor) {
        return cursor == null ? null : cursor.toString();
    }

    int pageSize() {
        return ParameterText.wholeNumber("'size'", size, DEFAULT_SIZE);
    }

    int limit(int otherwise) {
        return ParameterText.wholeNumber("'above'", above, otherwise);
    }

    @Nullable
    TaskId afterTask() {
        return after == null ? null : TaskId.of(ParameterText.number("'after'", after));
    }

    Duration period() {
        if (since == null) {
            return DEFAULT_PERIOD;
        }
        return ParameterText.duration("'since'", since);
    }

    TaskSearch search() {
        return new TaskSearch(taskStatus(), queue, type, key);
    }

    Cursor cursor() {
        if (before == null) {
            return Cursor.START;
        }
        try {
            return Cursor.parse(before);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("Expected 'before' to be the 'next' of the previous page, but found '"
                    + ParameterText.cut(before) + "'. Leave it out for the first page.");
        }
    }

    private @Nullable TaskStatus taskStatus() {
        return status == null ? null : ParameterText.constant("'status'", TaskStatus.class, status);
    }

    private static @Nullable String given(@Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        if (text.indexOf('\0') >= 0) {
            throw new InvalidRequestException("Expected text without NUL characters, but found one. Leave it out.");
        }
        return text;
    }
}
