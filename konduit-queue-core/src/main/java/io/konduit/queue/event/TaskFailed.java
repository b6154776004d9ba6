package io.konduit.queue.event;

import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;

/**
 * A task has failed permanently: it has no attempts left, or its error must not be retried.
 *
 * @param error the error of the last attempt
 */
public record TaskFailed(TaskId id, String type, String queue, int attempt, TaskError error) {}
