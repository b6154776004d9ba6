package io.konduit.queue;

/** A request that cannot become a task. The message says what was expected, what was found, and what to do. */
public class InvalidTaskException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public InvalidTaskException(String message) {
        super(message);
    }

    public InvalidTaskException(String message, Throwable cause) {
        super(message, cause);
    }
}
