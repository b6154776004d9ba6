package io.konduit.queue;

/** The tables of the queue could not be updated in time, because somebody else holds them. */
public class SchemaLockedException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public SchemaLockedException(String message, Throwable cause) {
        super(message, cause);
    }
}
