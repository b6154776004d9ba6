package io.konduit.queue;

/**
 * A payload or checkpoint cannot be stored as JSON, or cannot be read as the declared type. The message never contains
 * the payload.
 */
public class InvalidPayloadException extends InvalidTaskException {
    private static final long serialVersionUID = 1L;

    public InvalidPayloadException(String message) {
        super(message);
    }

    public InvalidPayloadException(String message, Throwable cause) {
        super(message, cause);
    }
}
