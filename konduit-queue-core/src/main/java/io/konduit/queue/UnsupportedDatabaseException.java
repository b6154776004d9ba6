package io.konduit.queue;

/** The data source is not a PostgreSQL that the queue can work with. */
public class UnsupportedDatabaseException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public UnsupportedDatabaseException(String message) {
        super(message);
    }

    public UnsupportedDatabaseException(String message, Throwable cause) {
        super(message, cause);
    }
}
