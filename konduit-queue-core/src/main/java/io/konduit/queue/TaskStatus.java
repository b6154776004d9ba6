package io.konduit.queue;

/** Where a task stands. */
public enum TaskStatus {
    /** Waits for its time and a free worker. */
    PENDING,
    /** A worker holds its lease. */
    RUNNING,
    /** Its worker was lost and it must not run again until a person says so. */
    HELD,
    /** Its attempts are used up, or it was failed for good. */
    FAILED,
    /** Done. */
    COMPLETED,
    /** Taken back before it was done. */
    CANCELLED;

    /** Whether nothing will happen to the task any more. */
    public boolean isFinal() {
        return this == COMPLETED || this == CANCELLED;
    }
}
