package io.konduit.queue.handler;

import io.konduit.queue.InvalidPayloadException;

/** Rejects what JSON allows but PostgreSQL's {@code jsonb} does not: NUL characters and unpaired surrogates. */
final class JsonText {
    private JsonText() {}

    static void requireStorable(String json, String what) {
        int length = json.length();
        boolean highPending = false;
        for (int i = 0; i < length; i++) {
            char c = json.charAt(i);
            if (c == '\\' && i + 1 < length) {
                i++;
                if (json.charAt(i) != 'u' || i + 4 >= length) {
                    highPending = requirePaired(highPending, ' ', what);
                    continue;
                }
                c = (char) Integer.parseInt(json, i + 1, i + 5, 16);
                i += 4;
            }
            if (c == 0) {
                throw new InvalidPayloadException(
                        "Expected " + what
                                + " to have no NUL character, which PostgreSQL cannot store, but it has one. Remove it, or send the bytes as Base64.");
            }
            highPending = requirePaired(highPending, c, what);
        }
        requirePaired(highPending, ' ', what);
    }

    /** How many characters the numbers grow by in the database, which stores them without an exponent: 1e9 becomes 1000000000. */
    static long digitsAdded(String json) {
        long added = 0;
        boolean quoted = false;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && (c == 'e' || c == 'E') && i > 0 && isDigit(json.charAt(i - 1))) {
                added += exponent(json, i + 1);
            }
        }
        return added;
    }

    /** The absolute exponent: numbers with a negative exponent are expanded too. */
    private static long exponent(String json, int from) {
        long exponent = 0;
        for (int i = from; i < json.length() && exponent < Integer.MAX_VALUE; i++) {
            char c = json.charAt(i);
            if (isDigit(c)) {
                exponent = 10 * exponent + c - '0';
            } else if (i > from || c != '-' && c != '+') {
                break;
            }
        }
        return exponent;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean requirePaired(boolean highPending, char c, String what) {
        if (highPending != Character.isLowSurrogate(c)) {
            throw new InvalidPayloadException(
                    "Expected " + what
                            + " to be valid Unicode, but it has half of a surrogate pair. Remove it, or send the bytes as Base64.");
        }
        return Character.isHighSurrogate(c);
    }
}
