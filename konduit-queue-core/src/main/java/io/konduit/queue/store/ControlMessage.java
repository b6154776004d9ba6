package io.konduit.queue.store;

import io.konduit.queue.TaskId;
import java.util.Locale;
import java.util.Optional;

/**
 * A message from one instance to all others. It is a hint: receivers ask the database, which decides. A message that is
 * lost, late or forged costs a statement or some time, and nothing else.
 *
 * @param argument the subject of the message, such as a task id
 */
public record ControlMessage(Kind kind, String argument) {
    /** A version ignores kinds that it does not know: instances of several versions share a database. */
    public enum Kind {
        /** A task was cancelled while a worker held it. The argument is its id. */
        CANCELLED;

        private final String word = name().toLowerCase(Locale.ROOT);
    }

    public static ControlMessage cancelled(TaskId id) {
        return new ControlMessage(Kind.CANCELLED, Long.toString(id.value()));
    }

    /** The kind, a space, the argument. */
    String text() {
        return kind.word + " " + argument;
    }

    /** Empty if this version does not understand the text. */
    static Optional<ControlMessage> parse(String text) {
        for (Kind kind : Kind.values()) {
            if (text.startsWith(kind.word + " ")) {
                return Optional.of(new ControlMessage(kind, text.substring(kind.word.length() + 1)));
            }
        }
        return Optional.empty();
    }

    /** The task it concerns; empty when the argument is not an id. */
    public Optional<Long> taskId() {
        try {
            return Optional.of(Long.valueOf(argument));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
