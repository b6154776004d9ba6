package io.konduit.queue;

/** A schedule's state does not allow what was asked for. */
public class ScheduleStateException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public ScheduleStateException(String message) {
        super(message);
    }
}
