package io.konduit.queue;

/** This application has no handler for the task type, and {@code konduit.queue.reject-unknown-types} is enabled. */
public class UnknownTaskTypeException extends InvalidTaskException {
    private static final long serialVersionUID = 1L;

    public UnknownTaskTypeException(String message) {
        super(message);
    }

    public UnknownTaskTypeException(String message, Throwable cause) {
        super(message, cause);
    }
}
