package io.konduit.queue.admin;

import io.konduit.queue.TaskQueueException;

/** An invalid parameter; nothing was changed. The message names the parameter, what was expected and what was found. */
public class InvalidRequestException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    public InvalidRequestException(String message) {
        super(message);
    }

    public InvalidRequestException(String message, Throwable cause) {
        super(message, cause);
    }
}
