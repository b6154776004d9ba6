package io.konduit.queue.store;

import io.konduit.queue.TaskId;
import java.time.Duration;
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
        CANCELLED,
        /** A task becomes due soon. The argument is in how many milliseconds, a space, and its queue. */
        LATER,
        /** A worker holds leases after a time without. There is no argument. */
        BUSY,
        /** A schedule was made or changed. The argument says nothing. */
        SCHEDULES;

        private final String word = name().toLowerCase(Locale.ROOT);
    }

    public static ControlMessage schedulesChanged() {
        return new ControlMessage(Kind.SCHEDULES, "changed");
    }

    public static ControlMessage cancelled(TaskId id) {
        return new ControlMessage(Kind.CANCELLED, Long.toString(id.value()));
    }

    /** A task of this queue becomes due after this time. */
    public static ControlMessage later(String queue, Duration delay) {
        return new ControlMessage(Kind.LATER, Math.max(0, delay.toMillis()) + " " + queue);
    }

    /** The kind, a space, the argument. */
    String text() {
        return argument.isEmpty() ? kind.word : kind.word + " " + argument;
    }

    /** Empty if this version does not understand the text. */
    static Optional<ControlMessage> parse(String text) {
        for (Kind kind : Kind.values()) {
            if (text.equals(kind.word)) {
                return Optional.of(new ControlMessage(kind, ""));
            }
            if (text.startsWith(kind.word + " ")) {
                return Optional.of(new ControlMessage(kind, text.substring(kind.word.length() + 1)));
            }
        }
        return Optional.empty();
    }

    /**
     * A queue in which a task becomes due.
     *
     * @param delay after this time
     */
    public record Later(String queue, Duration delay) {}

    /** Where and when a task becomes due; empty when the argument does not say it. */
    public Optional<Later> later() {
        int end = argument.indexOf(' ');
        try {
            long millis = Long.parseLong(argument.substring(0, Math.max(0, end)));
            return millis < 0
                    ? Optional.empty()
                    : Optional.of(new Later(argument.substring(end + 1), Duration.ofMillis(millis)));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
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
