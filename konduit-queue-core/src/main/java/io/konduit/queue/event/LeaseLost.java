package io.konduit.queue.event;

import io.konduit.queue.TaskId;

/** A run on this worker has lost its lease: its handler was interrupted, or its result was refused. */
public record LeaseLost(TaskId id, String type, String queue, long leaseEpoch, Reason reason) {
    /** Why it was lost. */
    public enum Reason {
        /** The task was cancelled. */
        CANCELLED,
        /** The lease expired or was revoked, and the task went back to the queue or is held. */
        TAKEN_BACK
    }
}
