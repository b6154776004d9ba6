package io.konduit.queue;

import org.jspecify.annotations.Nullable;

/** The queue's tables do not exist, or the database user may not use them. */
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

    /** @param whatToDo the single action that fixes the problem */
    public SchemaMissingException(String message, String whatToDo) {
        super(message);
        this.whatToDo = whatToDo;
    }

    /** The single action that fixes the problem; null when there is more than one. */
    public @Nullable String whatToDo() {
        return whatToDo;
    }
}
