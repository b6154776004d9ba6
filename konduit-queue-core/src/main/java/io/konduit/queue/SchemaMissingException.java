package io.konduit.queue;

/** The tables of the queue are not there or are of another version. */
public class SchemaMissingException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public SchemaMissingException(String message) {
        super(message);
    }

    public SchemaMissingException(String message, Throwable cause) {
        super(message, cause);
    }
}
