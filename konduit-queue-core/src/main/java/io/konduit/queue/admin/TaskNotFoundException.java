package io.konduit.queue.admin;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueueException;

/** There is no task with this id: it never existed, or retention has removed it. */
public class TaskNotFoundException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public TaskNotFoundException(TaskId id) {
        super("There is no task " + id + ": the id is wrong, or retention has removed it.");
    }
}
