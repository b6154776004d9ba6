package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.TaskSearch;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

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
        return TaskId.of(number("the task id", text));
    }

    /** A cursor as callers see it: an id, or a time and an id. */
    static @Nullable String text(@Nullable Cursor cursor) {
        return cursor == null ? null : cursor.toString();
    }

    static int wholeNumber(String what, @Nullable String text, int otherwise) {
        if (text == null || text.isBlank()) {
            return otherwise;
        }
        long value = number(what, text);
        if (value != (int) value) {
            throw new InvalidRequestException(
                    "Expected " + what + " to be at most " + Integer.MAX_VALUE + ", but found '" + cut(text) + "'.");
        }
        return (int) value;
    }

    static boolean truth(String what, @Nullable String text, boolean otherwise) {
        if (text == null || text.isBlank()) {
            return otherwise;
        }
        if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
            return Boolean.parseBoolean(text);
        }
        throw new InvalidRequestException("Expected " + what + " to be true or false, but found '" + cut(text) + "'.");
    }

    int pageSize() {
        return wholeNumber("'size'", size, DEFAULT_SIZE);
    }

    int limit(int otherwise) {
        return wholeNumber("'above'", above, otherwise);
    }

    @Nullable
    TaskId afterTask() {
        return after == null ? null : TaskId.of(number("'after'", after));
    }

    Duration period() {
        if (since == null) {
            return DEFAULT_PERIOD;
        }
        try {
            return DurationStyle.detectAndParse(since);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new InvalidRequestException(
                    "Expected 'since' to be a duration such as 90s, 15m, 24h or 7d, but found '" + cut(since) + "'.");
        }
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
            throw new InvalidRequestException("Expected 'before' to be the 'next' of the page before, but found '"
                    + cut(before) + "'. Leave it out for the first page.");
        }
    }

    private @Nullable TaskStatus taskStatus() {
        if (status == null) {
            return null;
        }
        try {
            return TaskStatus.valueOf(status.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException("Expected 'status' to be one of " + Arrays.toString(TaskStatus.values())
                    + ", but found '" + cut(status) + "'.");
        }
    }

    private static long number(String what, String text) {
        try {
            return Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            throw new InvalidRequestException(
                    "Expected " + what + " to be a whole number, but found '" + cut(text) + "'.");
        }
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

    static String cut(String text) {
        return text.length() > 100 ? text.substring(0, 100) + "..." : text;
    }
}
