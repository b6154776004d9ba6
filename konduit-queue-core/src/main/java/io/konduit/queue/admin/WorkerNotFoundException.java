package io.konduit.queue.admin;

import io.konduit.queue.TaskQueueException;

/** There is no worker with this id: it has stopped, or never existed. */
public class WorkerNotFoundException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public WorkerNotFoundException(String worker) {
        super("There is no worker '" + worker + "': it has stopped, or the id is wrong. See the list of workers.");
    }
}
