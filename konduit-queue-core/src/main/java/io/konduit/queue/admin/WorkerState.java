package io.konduit.queue.admin;

/** Whether a worker claims tasks, and whether it is still heard of. */
public enum WorkerState {
    ACTIVE,
    /** An operator asked it to stop claiming. */
    DRAINING,
    /** It has not beaten for longer than the threshold. */
    STALE,
    /** It is silent, holds no task, and has been replaced or has been silent for long. */
    GONE
}
