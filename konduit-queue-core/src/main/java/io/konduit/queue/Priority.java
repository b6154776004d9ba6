package io.konduit.queue;

/** Which tasks of a queue go first. A better priority always goes before a worse one that is due as well. */
public enum Priority {
    CRITICAL,
    HIGH,
    NORMAL,
    LOW;

    /** The number in the {@code priority} column; smaller goes first. */
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
