package io.konduit.queue;

import org.jspecify.annotations.Nullable;

/** The data source is not a PostgreSQL that the queue can work with. */
public class UnsupportedDatabaseException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    private final @Nullable String whatToDo;

    public UnsupportedDatabaseException(String message) {
        this(message, null);
    }

    /**
     * @param whatToDo what makes this database usable; null when only another one helps
     */
    public UnsupportedDatabaseException(String message, @Nullable String whatToDo) {
        super(message);
        this.whatToDo = whatToDo;
    }

    /** What makes this database usable; null when only another one helps. */
    public @Nullable String whatToDo() {
        return whatToDo;
    }
}
