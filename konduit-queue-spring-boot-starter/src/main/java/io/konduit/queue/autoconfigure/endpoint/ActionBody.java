package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** The parameters of an action on one task, queue or worker, as text; each is parsed when an action needs it. */
record ActionBody(
        @Nullable String note,
        @Nullable String attempts,
        @Nullable String runAt,
        @Nullable String delay) {

    int moreAttempts() {
        return ListQuery.wholeNumber("'attempts'", attempts, 1);
    }

    /** When to start; null when a delay is given instead. */
    @Nullable
    Instant startAt() {
        if (isGiven(runAt) == isGiven(delay)) {
            throw new InvalidRequestException("Expected either 'runAt' or 'delay', but found "
                    + (isGiven(runAt) ? "both" : "neither")
                    + ". Give one of them, such as \"delay\": \"10m\" or \"runAt\": \"2030-01-31T08:00:00Z\".");
        }
        return isGiven(delay) ? null : instant("runAt", runAt);
    }

    Duration startIn() {
        return duration("delay", String.valueOf(delay));
    }

    static @Nullable Instant instant(String name, @Nullable String text) {
        if (text == null || text.isBlank()) {
            return null;
        }
        try {
            return Instant.parse(text.trim());
        } catch (DateTimeParseException e) {
            throw new InvalidRequestException("Expected '" + name
                    + "' to be a time such as 2030-01-31T08:00:00Z, but found '" + ListQuery.cut(text) + "'.");
        }
    }

    private static Duration duration(String name, String text) {
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new InvalidRequestException("Expected '" + name
                    + "' to be a duration such as 90s, 15m, 24h or 7d, but found '" + ListQuery.cut(text) + "'.");
        }
    }

    private static boolean isGiven(@Nullable String text) {
        return text != null && !text.isBlank();
    }
}
