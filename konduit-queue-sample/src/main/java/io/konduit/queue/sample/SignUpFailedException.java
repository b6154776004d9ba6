package io.konduit.queue.sample;

import io.konduit.queue.TaskId;

/** Represents anything that may go wrong at the end of a transaction. */
class SignUpFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SignUpFailedException(long customer, TaskId task) {
        super("The sign-up was rolled back: neither customer %d nor task %s exists. GET /tasks/%s answers 404."
                .formatted(customer, task, task));
    }
}
