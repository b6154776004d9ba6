package io.konduit.queue.sample;

import io.konduit.queue.Submission;
import io.konduit.queue.TaskId;

/**
 * The response of the POST requests.
 *
 * @param created false when an unfinished task for the same request already exists
 * @param follow where to follow the task
 */
record EnqueuedTask(long task, boolean created, String follow) {

    static EnqueuedTask of(TaskId id) {
        return of(new Submission(id, true));
    }

    static EnqueuedTask of(Submission submission) {
        return new EnqueuedTask(submission.id().value(), submission.created(), "/tasks/" + submission.id());
    }
}
