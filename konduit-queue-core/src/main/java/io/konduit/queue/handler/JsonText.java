package io.konduit.queue.handler;

import io.konduit.queue.InvalidPayloadException;

/** What JSON allows and PostgreSQL's {@code jsonb} does not: the NUL character and halves of surrogate pairs. */
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

    private static boolean requirePaired(boolean highPending, char c, String what) {
        if (highPending != Character.isLowSurrogate(c)) {
            throw new InvalidPayloadException(
                    "Expected " + what
                            + " to be valid Unicode, but it has half of a surrogate pair. Remove it, or send the bytes as Base64.");
        }
        return Character.isHighSurrogate(c);
    }
}
