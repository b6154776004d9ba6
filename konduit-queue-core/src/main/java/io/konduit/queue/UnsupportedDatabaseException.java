package io.konduit.queue;

import org.jspecify.annotations.Nullable;

/** The data source is not a PostgreSQL database that the queue supports. */
public class UnsupportedDatabaseException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    private final @Nullable String whatToDo;

    public UnsupportedDatabaseException(String message) {
        this(message, null);
    }

    /**
     * @param whatToDo how to make this database usable; null when another database is needed
     */
    public UnsupportedDatabaseException(String message, @Nullable String whatToDo) {
        super(message);
        this.whatToDo = whatToDo;
    }

    /** How to make this database usable; null when another database is needed. */
    public @Nullable String whatToDo() {
        return whatToDo;
    }
}
