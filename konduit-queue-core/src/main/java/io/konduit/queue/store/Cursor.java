package io.konduit.queue.store;

/**
 * Where a page ended, for asking for the next one.
 *
 * @param time a PostgreSQL timestamp, for what is sorted by time first
 */
public record Cursor(String time, long id) {
    /** Before everything, newest first. */
    public static final Cursor START = new Cursor("infinity", Long.MAX_VALUE);

    /** Where a page sorted by id ended. */
    public static Cursor ofId(long id) {
        return new Cursor(START.time, id);
    }
}
