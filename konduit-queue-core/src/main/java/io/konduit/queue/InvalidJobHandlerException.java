package io.konduit.queue;

/** A method that cannot be a handler. */
public class InvalidJobHandlerException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public InvalidJobHandlerException(String message) {
        super(message);
    }

    public InvalidJobHandlerException(String message, Throwable cause) {
        super(message, cause);
    }
}
