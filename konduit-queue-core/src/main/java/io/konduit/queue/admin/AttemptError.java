package io.konduit.queue.admin;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The error of one attempt.
 *
 * @param message may quote the payload
 * @param stack without messages of the application
 */
public record AttemptError(
        int attempt,
        String type,
        @Nullable String message,
        String stack,
        AttemptOutcome outcome,
        UUID worker,
        Instant at) {

    /** The message is left out: it may quote the payload. */
    @Override
    public String toString() {
        return "AttemptError[attempt=" + attempt + ", type=" + type + ", outcome=" + outcome + ", at=" + at + "]";
    }
}
