package io.konduit.queue;

/** The base class of the queue's exceptions. */
public abstract class TaskQueueException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TaskQueueException(String message) {
        super(message);
    }

    public TaskQueueException(String message, Throwable cause) {
        super(message, cause);
    }
}
