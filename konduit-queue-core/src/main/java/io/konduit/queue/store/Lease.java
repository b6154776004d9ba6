package io.konduit.queue.store;

/**
 * The right of this worker to run a task.
 *
 * @param zombieCount the task's count when it was claimed: a reclaim increments it
 */
public record Lease(long taskId, long epoch, int zombieCount) {}
