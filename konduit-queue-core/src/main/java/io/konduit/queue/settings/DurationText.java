package io.konduit.queue.settings;

import java.time.Duration;

/** Durations in property syntax: {@code 5m}, {@code 90s}, {@code 250ms}. */
public final class DurationText {
    /** The exact number does not matter beyond the range of milliseconds. */
    private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);

    private DurationText() {}

    public static String of(Duration duration) {
        if (duration.abs().compareTo(LONGEST) > 0) {
            return duration.toString();
        }
        long millis = duration.toMillis();
        if (millis == 0) {
            return "0s";
        }
        if (millis % 86_400_000 == 0) {
            return millis / 86_400_000 + "d";
        }
        if (millis % 3_600_000 == 0) {
            return millis / 3_600_000 + "h";
        }
        if (millis % 60_000 == 0) {
            return millis / 60_000 + "m";
        }
        return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
    }
}
