package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.TaskQueueException;
import java.util.Collection;

/** This path of the endpoint does not exist. */
class UnknownPathException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    UnknownPathException(Collection<String> expected, String found) {
        super("Expected one of " + String.join(", ", expected) + ", but found '" + found + "'.");
    }
}
