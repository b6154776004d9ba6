package io.konduit.queue;

/** The tables of the queue are of another version, or nobody knows how they were made. */
public class SchemaVersionException extends TaskQueueException {
    private static final long serialVersionUID = 1L;

    private final String whatToDo;

    /** @param whatToDo the one thing to do */
    public SchemaVersionException(String message, String whatToDo) {
        super(message);
        this.whatToDo = whatToDo;
    }

    /** The one thing to do. */
    public String whatToDo() {
        return whatToDo;
    }
}
