package io.konduit.queue;

/** A type no handler of this application knows, where {@code konduit.queue.reject-unknown-types} asks to refuse it. */
public class UnknownTaskTypeException extends InvalidTaskException {
    private static final long serialVersionUID = 1L;

    public UnknownTaskTypeException(String message) {
        super(message);
    }

    public UnknownTaskTypeException(String message, Throwable cause) {
        super(message, cause);
    }
}
