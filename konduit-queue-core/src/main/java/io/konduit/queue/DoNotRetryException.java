package io.konduit.queue;

/** Thrown by a handler to fail its task for good at once. Subclass it for errors of your own. */
public class DoNotRetryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DoNotRetryException(String message) {
        super(message);
    }

    public DoNotRetryException(String message, Throwable cause) {
        super(message, cause);
    }
}
