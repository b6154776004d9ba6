package io.konduit.queue.error;

/** Text of the application that goes into a column or a line. */
final class PlainText {
    private PlainText() {}

    /** In a form that PostgreSQL can store, truncated. */
    static String storable(String text, int longest) {
        StringBuilder clean = new StringBuilder(Math.min(text.length(), longest));
        cut(text, longest)
                .codePoints()
                .map(c -> c == 0 || c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '?' : c)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }

    /** The same on one line, so that no message can imitate a log line. */
    static String line(String text, int longest) {
        StringBuilder clean = new StringBuilder(Math.min(text.length(), longest));
        storable(text, longest)
                .codePoints()
                .map(c -> Character.isISOControl(c) || c == '\u2028' || c == '\u2029' ? ' ' : c)
                .forEach(clean::appendCodePoint);
        return clean.toString();
    }

    private static String cut(String text, int longest) {
        return text.length() > longest ? text.substring(0, longest) : text;
    }
}
