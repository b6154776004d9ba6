package io.konduit.queue;

/**
 * A task has failed for good: its attempts are used up, or its handler asked for no more.
 *
 * @param error why its last attempt failed
 */
public record TaskFailed(TaskId id, String type, String queue, int attempt, TaskError error) {}
