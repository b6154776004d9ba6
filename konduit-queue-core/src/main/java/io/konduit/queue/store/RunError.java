package io.konduit.queue.store;

import org.jspecify.annotations.Nullable;

/**
 * The stored part of a run's error.
 *
 * @param attempt the number of the attempt
 * @param type the class of the root cause
 * @param message null when there is none or messages are not stored
 * @param stack without messages of the application
 */
public record RunError(int attempt, String type, @Nullable String message, String stack) {
    private static final int LONGEST_SUMMARY = 1_000;

    /** For the column {@code last_error} of the task. */
    String summary() {
        String text = message == null ? type : type + ": " + message;
        int end = text.offsetByCodePoints(0, Math.min(LONGEST_SUMMARY, text.codePointCount(0, text.length())));
        return text.substring(0, end);
    }

    /** The message is left out: it may quote the payload. */
    @Override
    public String toString() {
        return "RunError[attempt=" + attempt + ", type=" + type + "]";
    }
}
