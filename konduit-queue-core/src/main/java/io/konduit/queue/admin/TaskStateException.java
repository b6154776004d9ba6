package io.konduit.queue.admin;

import io.konduit.queue.TaskQueueException;

/** What was asked for cannot be done to a task in its present state; nothing was changed. */
public class TaskStateException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public TaskStateException(String message) {
        super(message);
    }
}
