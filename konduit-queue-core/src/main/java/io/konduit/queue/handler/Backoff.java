package io.konduit.queue.handler;

import io.konduit.queue.RetryPolicy;
import io.konduit.queue.settings.DurationText;
import java.time.Duration;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** The delays that a handler declares: {@code 30s} is fixed, {@code 1m..1h} doubles from the first to the last. */
public record Backoff(Duration first, Duration last) {
    private static final String SEPARATOR = "..";
    private static final double FACTOR = 2;

    /** Throws an {@link IllegalArgumentException} whose message says what was expected. */
    static Backoff parse(String text) {
        int separator = text.indexOf(SEPARATOR);
        Backoff parsed;
        try {
            parsed = separator < 0
                    ? new Backoff(duration(text), duration(text))
                    : new Backoff(
                            duration(text.substring(0, separator).strip()),
                            duration(text.substring(separator + SEPARATOR.length())
                                    .strip()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "backoff must be a duration such as '30s', or two such as '1m..1h', but is '%s'.".formatted(text),
                    e);
        }
        boolean grows = separator >= 0;
        if (parsed.first.isNegative() || grows && parsed.first.isZero()) {
            throw new IllegalArgumentException("the delay of backoff '%s' must be %s but is %s."
                    .formatted(text, grows ? "longer than 0s" : "0s or longer", DurationText.of(parsed.first)));
        }
        if (parsed.last.compareTo(parsed.first) < 0) {
            throw new IllegalArgumentException("the longest delay of backoff '%s' (%s) must be at least the first (%s)."
                    .formatted(text, DurationText.of(parsed.last), DurationText.of(parsed.first)));
        }
        return parsed;
    }

    /** Parses a duration as written in annotations. */
    static Duration duration(String text) {
        return text.equals("0") ? Duration.ZERO : DurationFormatterUtils.detectAndParse(text);
    }

    /**
     * The delay after a failed attempt.
     *
     * @param attempt from 1
     * @param jitter as a fraction from 0 to 1
     */
    public Duration after(int attempt, double jitter) {
        return RetryPolicy.exponential(1, first, FACTOR, last, jitter).backoff(attempt);
    }
}
