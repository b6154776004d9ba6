package io.konduit.queue;

/** A run on this worker has lost its task: its handler was interrupted, or its result was refused. */
public record LeaseLost(TaskId id, String type, String queue, long leaseEpoch, Reason reason) {
    /** Why it was lost. */
    public enum Reason {
        /** Somebody cancelled the task. */
        CANCELLED,
        /** The lease had ended, or was ended, and the task went back to the queue or to a person. */
        TAKEN_BACK
    }
}
