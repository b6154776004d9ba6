package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The parameters of an action on one task, queue or worker, as text; each is parsed when an action needs it. */
record ActionBody(
        @Nullable String note,
        @Nullable String attempts,
        @Nullable String runAt,
        @Nullable String delay) {

    int moreAttempts() {
        return ParameterText.wholeNumber("'attempts'", attempts, 1);
    }

    /** When to start; null when a delay is given instead. */
    @Nullable
    Instant startAt() {
        if (isGiven(runAt) == isGiven(delay)) {
            throw new InvalidRequestException("Expected either 'runAt' or 'delay', but found "
                    + (isGiven(runAt) ? "both" : "neither")
                    + ". Give one of them, such as \"delay\": \"10m\" or \"runAt\": \"2030-01-31T08:00:00Z\".");
        }
        return isGiven(delay) ? null : ParameterText.instant("'runAt'", String.valueOf(runAt));
    }

    Duration startIn() {
        return ParameterText.duration("'delay'", String.valueOf(delay));
    }

    private static boolean isGiven(@Nullable String text) {
        return text != null && !text.isBlank();
    }
}
