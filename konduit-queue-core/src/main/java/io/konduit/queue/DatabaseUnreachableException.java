package io.konduit.queue;

/** The queue's database does not answer at startup. */
public class DatabaseUnreachableException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public DatabaseUnreachableException(Throwable cause) {
        super("The database of the queue cannot be reached.", cause);
    }
}
