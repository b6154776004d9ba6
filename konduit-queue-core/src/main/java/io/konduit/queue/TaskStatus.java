package io.konduit.queue;

/** The state of a task. */
public enum TaskStatus {
    /** Waits for its start time and a free worker. */
    PENDING,
    /** A worker holds its lease. */
    RUNNING,
    /** Its worker was lost, and the task must not run again until a person releases it. */
    HELD,
    /** It has no attempts left, or was failed permanently. */
    FAILED,
    /** The handler has completed it. */
    COMPLETED,
    /** Cancelled before it was completed. */
    CANCELLED;

    /** Whether the task can no longer change. */
    public boolean isFinal() {
        return this == COMPLETED || this == CANCELLED;
    }
}
