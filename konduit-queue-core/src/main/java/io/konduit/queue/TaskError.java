package io.konduit.queue;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed.
 *
 * @param type the class of the root cause
 * @param message the message of the root cause, followed by one line for each exception that wraps it; null when there
 *     is none or {@code konduit.queue.errors.messages} is {@code never}. It may quote the payload: show it only to
 *     people who may see payloads
 * @param attempt the number of the failed attempt, from 1
 * @param at when the attempt failed, by the database's clock
 */
public record TaskError(String type, @Nullable String message, int attempt, Instant at) {

    /** Omits the message, so that tasks and events can be logged safely. */
    @Override
    public String toString() {
        return "TaskError[type=" + type + ", attempt=" + attempt + ", at=" + at + "]";
    }
}
