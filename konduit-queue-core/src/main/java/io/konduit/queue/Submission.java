package io.konduit.queue;

/**
 * What became of a request.
 *
 * @param id the task that now stands for the request
 * @param created false when a live task with the same unique key was there already and stands for this request too
 */
public record Submission(TaskId id, boolean created) {}
