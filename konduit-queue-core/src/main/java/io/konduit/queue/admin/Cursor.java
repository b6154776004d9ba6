package io.konduit.queue.admin;

import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The position at which a page ended, used to request the next page. Callers can pass it as text.
 *
 * @param time for lists sorted by time first; null for lists sorted by id only
 */
public record Cursor(@Nullable Instant time, long id) {
    /** The start of a list that is newest first. */
    public static final Cursor START = new Cursor(null, Long.MAX_VALUE);

    private static final String BETWEEN = "~";

    /** Where a page sorted by id ended. */
    public static Cursor ofId(long id) {
        return new Cursor(null, id);
    }

    /**
     * Parses a text that {@link #toString} returned.
     *
     * @throws IllegalArgumentException if the text is not a cursor
     */
    public static Cursor parse(String text) {
        int at = text.indexOf(BETWEEN);
        try {
            return at < 0
                    ? ofId(Long.parseLong(text))
                    : new Cursor(Instant.parse(text.substring(0, at)), Long.parseLong(text.substring(at + 1)));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("'" + text + "' is not a cursor.", e);
        }
    }

    /** An id, or a time and an id. */
    @Override
    public String toString() {
        return time == null ? Long.toString(id) : time + BETWEEN + id;
    }
}
