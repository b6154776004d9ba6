package io.konduit.queue.admin;

import io.konduit.queue.TaskQueueException;

/** The task's current state does not allow the requested action; nothing was changed. */
public class TaskStateException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public TaskStateException(String message) {
        super(message);
    }
}
