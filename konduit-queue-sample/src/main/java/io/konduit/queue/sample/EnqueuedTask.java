package io.konduit.queue.sample;

import io.konduit.queue.Submission;
import io.konduit.queue.TaskId;

/**
 * What the POST requests answer.
 *
 * @param created false when an unfinished task stood for the same request already
 * @param follow where to look how the task is getting on
 */
record EnqueuedTask(long task, boolean created, String follow) {

    static EnqueuedTask of(TaskId id) {
        return of(new Submission(id, true));
    }

    static EnqueuedTask of(Submission submission) {
        return new EnqueuedTask(submission.id().value(), submission.created(), "/tasks/" + submission.id());
    }
}
