package io.konduit.queue;

/** The order of due tasks within a queue. A due task of a higher priority always runs before due tasks of lower priorities. */
public enum Priority {
    CRITICAL,
    HIGH,
    NORMAL,
    LOW;

    /** The number in the {@code priority} column. Lower numbers run first. */
    public int level() {
        return ordinal();
    }

    /** The priority with this number in the {@code priority} column. */
    public static Priority ofLevel(int level) {
        Priority[] all = values();
        if (level < 0 || level >= all.length) {
            throw new IllegalArgumentException(
                    "A priority level must be between 0 and " + (all.length - 1) + " but is " + level + ".");
        }
        return all[level];
    }
}
