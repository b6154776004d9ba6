package io.konduit.queue;

/** A schedule that cannot be: its expression, zone, interval, name or task is wrong. */
public class InvalidScheduleException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public InvalidScheduleException(String message) {
        super(message);
    }

    public InvalidScheduleException(String message, Throwable cause) {
        super(message, cause);
    }
}
