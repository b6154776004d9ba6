package io.konduit.queue;

/** This run no longer holds the lease on its task. Its result is refused and its transaction is rolled back. */
public class LeaseLostException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public LeaseLostException(String message) {
        super(message);
    }

    public LeaseLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
