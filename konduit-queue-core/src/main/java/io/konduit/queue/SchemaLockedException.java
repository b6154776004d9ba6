package io.konduit.queue;

/** The queue's tables could not be migrated in time because other sessions hold locks on them. */
public class SchemaLockedException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public SchemaLockedException(String message, Throwable cause) {
        super(message, cause);
    }
}
