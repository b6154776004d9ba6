package io.konduit.queue;

/** A payload or checkpoint that cannot be stored as JSON, or not be read back into the declared type. Its message never holds the payload. */
public class InvalidPayloadException extends InvalidTaskException {
    private static final long serialVersionUID = 1L;

    public InvalidPayloadException(String message) {
        super(message);
    }

    public InvalidPayloadException(String message, Throwable cause) {
        super(message, cause);
    }
}
