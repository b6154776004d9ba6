package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.TaskQueueException;
import io.konduit.queue.settings.PropertyNames;

/** The application has not enabled the endpoint's actions. */
class WritesNotAllowedException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    WritesNotAllowedException(String what) {
        super("Expected '" + PropertyNames.ENDPOINT_ALLOW_WRITES + "' to be true for '" + what
                + "', but it is false. Nothing was changed. Set it where the endpoint is protected.");
    }
}
