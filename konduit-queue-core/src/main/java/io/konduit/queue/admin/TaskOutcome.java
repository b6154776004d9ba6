package io.konduit.queue.admin;

/** How a task, or a run that had lost its task, ended. */
public enum TaskOutcome {
    COMPLETED,
    FAILED,
    CANCELLED
}
