package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.TaskQueueException;
import java.util.Collection;

/** There is nothing at this path of the endpoint. */
class UnknownPathException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    UnknownPathException(Collection<String> expected, String found) {
        super("Expected one of " + String.join(", ", expected) + ", but found '" + found + "'.");
    }
}
