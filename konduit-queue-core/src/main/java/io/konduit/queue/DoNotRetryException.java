package io.konduit.queue;

/** Thrown by a handler to fail its task permanently, without further attempts. May be subclassed. */
public class DoNotRetryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DoNotRetryException(String message) {
        super(message);
    }

    public DoNotRetryException(String message, Throwable cause) {
        super(message, cause);
    }
}
