package io.konduit.queue.admin;

/** Whether a worker claims tasks, and whether it still sends heartbeats. */
public enum WorkerState {
    ACTIVE,
    /** An operator asked it to stop claiming. */
    DRAINING,
    /** It has sent no heartbeat for longer than the threshold. */
    STALE,
    /** It is silent, holds no task, and has been replaced or silent for a long time. */
    GONE
}
