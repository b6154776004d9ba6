package io.konduit.queue;

/** The database of the queue does not answer when the application starts. */
public class DatabaseUnreachableException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public DatabaseUnreachableException(Throwable cause) {
        super("The database of the queue cannot be reached.", cause);
    }
}
