package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.AttemptError;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed.
 *
 * @param message only for callers with access to payloads, which it may quote
 * @param stack without messages
 */
record ErrorView(
        int attempt, String type, @Nullable String message, Instant at, String outcome, String worker, String stack) {

    static ErrorView of(AttemptError found, @Nullable String message) {
        return new ErrorView(
                found.attempt(),
                found.type(),
                message,
                found.at(),
                found.outcome().name(),
                found.worker().toString(),
                found.stack());
    }
}
