package io.konduit.queue;

/** This run does not hold the task any more: its result is refused and its transaction is rolled back. */
public class LeaseLostException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public LeaseLostException(String message) {
        super(message);
    }

    public LeaseLostException(String message, Throwable cause) {
        super(message, cause);
    }
}
