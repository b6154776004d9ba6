package io.konduit.queue;

/** The queue's tables are at another version, or have no migration history. */
public class SchemaVersionException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    private final String whatToDo;

    /** @param whatToDo the action that fixes the problem */
    public SchemaVersionException(String message, String whatToDo) {
        super(message);
        this.whatToDo = whatToDo;
    }

    /** The action that fixes the problem. */
    public String whatToDo() {
        return whatToDo;
    }
}
