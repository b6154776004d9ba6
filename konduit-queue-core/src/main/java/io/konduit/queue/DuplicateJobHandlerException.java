package io.konduit.queue;

/** Two handlers are declared for the same task type. */
public class DuplicateJobHandlerException extends InvalidJobHandlerException {
    private static final long serialVersionUID = 1L;

    public DuplicateJobHandlerException(String message) {
        super(message);
    }

    public DuplicateJobHandlerException(String message, Throwable cause) {
        super(message, cause);
    }
}
