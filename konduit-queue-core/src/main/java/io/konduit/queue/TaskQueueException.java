package io.konduit.queue;

/** The root of all errors of the queue. */
public abstract class TaskQueueException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TaskQueueException(String message) {
        super(message);
    }

    public TaskQueueException(String message, Throwable cause) {
        super(message, cause);
    }
}
