package io.konduit.queue.store;

import io.konduit.queue.TaskId;
import java.util.Locale;
import java.util.Optional;

/**
 * What one instance tells all others at once. It is a hint: whoever hears it asks the database, which decides. So a
 * message that is lost, late or forged costs a statement or some time, and nothing else.
 *
 * @param argument what the kind is about, such as the id of a task
 */
public record ControlMessage(Kind kind, String argument) {
    /** Kinds that a version does not know it ignores: instances of several versions share a database. */
    public enum Kind {
        /** A task was cancelled while a worker had it. The argument is its id. */
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

    /** Empty for what this version does not understand. */
    static Optional<ControlMessage> parse(String text) {
        for (Kind kind : Kind.values()) {
            if (text.startsWith(kind.word + " ")) {
                return Optional.of(new ControlMessage(kind, text.substring(kind.word.length() + 1)));
            }
        }
        return Optional.empty();
    }

    /** The task that it is about; empty when the argument is no id. */
    public Optional<Long> taskId() {
        try {
            return Optional.of(Long.valueOf(argument));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
