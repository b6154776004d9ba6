package io.konduit.queue.worker;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Errors as text. Messages of handlers' errors may quote payloads, so logs get the text without them. */
final class ErrorText {
    private static final int LONGEST = 8_000;
    private static final int FRAMES_IN_LOG = 12;
    private static final int CAUSES_IN_LOG = 5;

    private ErrorText() {}

    /** For the {@code last_error} column: class, message and stack, cut to a sane length and to what PostgreSQL can store. */
    static String full(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text, true));
        return storable(text.toString());
    }

    /** For logs: classes and stack, no messages. */
    static String withoutMessages(Throwable error) {
        StringBuilder text = new StringBuilder();
        Throwable current = error;
        for (int depth = 0; current != null && depth < CAUSES_IN_LOG; depth++, current = current.getCause()) {
            text.append(depth == 0 ? "" : "\n  caused by ")
                    .append(current.getClass().getName());
            StackTraceElement[] frames = current.getStackTrace();
            for (int i = 0; i < Math.min(FRAMES_IN_LOG, frames.length); i++) {
                text.append("\n    at ").append(frames[i]);
            }
        }
        return text.toString();
    }

    private static String storable(String text) {
        String cut = text.length() > LONGEST ? text.substring(0, LONGEST) : text;
        StringBuilder clean = new StringBuilder(cut.length());
        cut.codePoints()
                .map(c -> c == 0 || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '?' : c)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }
}
