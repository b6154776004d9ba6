package io.konduit.queue;

/**
 * The result of submitting a request.
 *
 * @param id the task that represents the request
 * @param created false when a live task with the same unique key already existed; that task then represents this
 *     request too
 */
public record Submission(TaskId id, boolean created) {}
