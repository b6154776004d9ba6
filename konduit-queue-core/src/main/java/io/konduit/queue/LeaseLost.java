package io.konduit.queue;

/** A run on this worker has lost its task: its result was refused. */
public record LeaseLost(TaskId id, String type, String queue, long leaseEpoch) {}
