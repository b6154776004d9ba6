package io.konduit.queue.admin;

import io.konduit.queue.TaskQueueException;

/** This queue is unknown: no worker serves it, no task waits or runs in it, and it is not paused. */
public class QueueNotFoundException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public QueueNotFoundException(String queue) {
        super("There is no queue '" + queue
                + "': no worker serves it and no task waits or runs in it. Check the name against the list of queues.");
    }
}
