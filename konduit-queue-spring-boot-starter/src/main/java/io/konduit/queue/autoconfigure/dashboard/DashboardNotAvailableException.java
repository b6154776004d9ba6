package io.konduit.queue.autoconfigure.dashboard;

import io.konduit.queue.TaskQueueException;

/** The dashboard is enabled where it cannot be served, or where everybody could open it. */
public class DashboardNotAvailableException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    private final String action;

    DashboardNotAvailableException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** What to do. */
    public String action() {
        return action;
    }
}
