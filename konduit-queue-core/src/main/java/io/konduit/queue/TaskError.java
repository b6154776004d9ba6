package io.konduit.queue;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed.
 *
 * @param type the class of the root cause
 * @param message the message of the root cause, and a line for each other one around it; null when there is none or
 *     {@code konduit.queue.errors.messages} is {@code never}. It may quote the payload: show it to those only who may see that
 * @param attempt which attempt it was, from 1 on
 * @param at when, by the database's clock
 */
public record TaskError(String type, @Nullable String message, int attempt, Instant at) {

    /** Without the message, so that a task or an event can be logged. */
    @Override
    public String toString() {
        return "TaskError[type=" + type + ", attempt=" + attempt + ", at=" + at + "]";
    }
}
