package io.konduit.queue.admin;

/** How a task ended, or a run that had lost its task. */
public enum TaskOutcome {
    COMPLETED,
    FAILED,
    CANCELLED,
    /** Only of a run: its handler snoozed the task. */
    SNOOZED
}
