package io.konduit.queue.worker;

/** Errors as text. Messages of handlers' errors may quote payloads, so logs get the text without them. */
final class ErrorText {
    private static final int LONGEST = 8_000;
    private static final int LONGEST_MESSAGE = 1_000;
    private static final int FRAMES = 12;
    private static final int CAUSES = 5;

    private ErrorText() {}

    /** For the {@code last_error} column: classes, messages and the tops of the stacks, as PostgreSQL can store them. */
    static String full(Throwable error) {
        return storable(text(error, true), LONGEST);
    }

    /** For logs: classes and stack, no messages. */
    static String withoutMessages(Throwable error) {
        return text(error, false);
    }

    private static String text(Throwable error, boolean messages) {
        StringBuilder text = new StringBuilder();
        Throwable current = error;
        for (int depth = 0; current != null && depth < CAUSES; depth++, current = current.getCause()) {
            text.append(depth == 0 ? "" : "\n  caused by ")
                    .append(current.getClass().getName())
                    .append(messages ? message(current) : "");
            StackTraceElement[] frames = current.getStackTrace();
            for (int i = 0; i < Math.min(FRAMES, frames.length); i++) {
                text.append("\n    at ").append(frames[i]);
            }
        }
        return text.toString();
    }

    /** An error of the application may fail at this too. */
    private static String message(Throwable error) {
        try {
            String message = error.getMessage();
            return message == null ? "" : ": " + storable(message, LONGEST_MESSAGE);
        } catch (RuntimeException e) {
            return ": (its message could not be read)";
        }
    }

    private static String storable(String text, int longest) {
        String cut = text.length() > longest ? text.substring(0, longest) : text;
        StringBuilder clean = new StringBuilder(cut.length());
        cut.codePoints()
                .map(c -> c == 0 || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '?' : c)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }
}
