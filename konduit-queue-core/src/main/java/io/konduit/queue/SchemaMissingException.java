package io.konduit.queue;

import org.jspecify.annotations.Nullable;

/** The tables of the queue are not there, or may not be used. */
public class SchemaMissingException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    private final @Nullable String whatToDo;

    public SchemaMissingException(String message) {
        super(message);
        this.whatToDo = null;
    }

    public SchemaMissingException(String message, Throwable cause) {
        super(message, cause);
        this.whatToDo = null;
    }

    /** @param whatToDo the one thing to do */
    public SchemaMissingException(String message, String whatToDo) {
        super(message);
        this.whatToDo = whatToDo;
    }

    /** The one thing to do; null when there is more than one. */
    public @Nullable String whatToDo() {
        return whatToDo;
    }
}
