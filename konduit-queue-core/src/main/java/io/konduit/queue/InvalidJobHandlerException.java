package io.konduit.queue;

/** A {@link JobHandler} method that cannot be used as a handler. */
public class InvalidJobHandlerException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public InvalidJobHandlerException(String message) {
        super(message);
    }

    public InvalidJobHandlerException(String message, Throwable cause) {
        super(message, cause);
    }
}
