package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.admin.InvalidRequestException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Parses the text of parameters. Each mistake gets an answer that says what was expected and found. */
final class ParameterText {
    private static final int LONGEST_SHOWN = 100;

    private ParameterText() {}

    static long number(String what, String text) {
        try {
            return Long.parseLong(text.trim());
        } catch (NumberFormatException e) {
            throw refused(what, "a whole number", text);
        }
    }

    static int wholeNumber(String what, @Nullable String text, int otherwise) {
        if (text == null || text.isBlank()) {
            return otherwise;
        }
        long value = number(what, text);
        if (value != (int) value) {
            throw refused(what, "at most " + Integer.MAX_VALUE, text);
        }
        return (int) value;
    }

    static boolean truth(String what, @Nullable String text, boolean otherwise) {
        if (text == null || text.isBlank()) {
            return otherwise;
        }
        if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
            return Boolean.parseBoolean(text);
        }
        throw refused(what, "true or false", text);
    }

    static Instant instant(String what, String text) {
        try {
            return Instant.parse(text.trim());
        } catch (DateTimeParseException e) {
            throw refused(what, "a time such as 2030-01-31T08:00:00Z", text);
        }
    }

    static Duration duration(String what, String text) {
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw refused(what, "a duration such as 90s, 15m, 24h or 7d", text);
        }
    }

    static <T extends Enum<T>> T constant(String what, Class<T> type, String text) {
        try {
            return Enum.valueOf(type, text.trim().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw refused(what, "one of " + Arrays.toString(type.getEnumConstants()), text);
        }
    }

    /** What callers sent, short enough for a message. */
    static String cut(String text) {
        return text.length() > LONGEST_SHOWN ? text.substring(0, LONGEST_SHOWN) + "..." : text;
    }

    private static InvalidRequestException refused(String what, String expected, String found) {
        return new InvalidRequestException(
                "Expected " + what + " to be " + expected + ", but found '" + cut(found) + "'.");
    }
}
