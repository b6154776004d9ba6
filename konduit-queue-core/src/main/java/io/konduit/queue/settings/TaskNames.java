package io.konduit.queue.settings;

import io.konduit.queue.InvalidTaskException;
import java.time.Duration;

/** The rules for names and limits that requests, handlers and settings share. */
public final class TaskNames {
    /** The queue of tasks that name none. */
    public static final String DEFAULT_QUEUE = "default";

    /** A lease shorter than this would be lost to an ordinary pause. */
    public static final Duration SHORTEST_LOCK_TIMEOUT = Duration.ofSeconds(1);

    private static final int LONGEST_TYPE = 200;
    private static final int LONGEST_QUEUE = 100;
    private static final int LONGEST_KEY = 500;
    private static final int LONGEST_SCHEDULE = 200;

    private TaskNames() {}

    /** Checks a task type; {@code what} names it in the message. */
    public static String requireType(String type, String what) {
        return require(type, what, LONGEST_TYPE);
    }

    /** Checks a queue name; {@code what} names it in the message. */
    public static String requireQueue(String queue, String what) {
        return require(queue, what, LONGEST_QUEUE);
    }

    /** Checks a unique key; {@code what} names it in the message. */
    public static String requireUniqueKey(String key, String what) {
        return require(key, what, LONGEST_KEY);
    }

    /** Checks the name of a schedule; {@code what} names it in the message. */
    public static String requireSchedule(String name, String what) {
        return require(name, what, LONGEST_SCHEDULE);
    }

    private static String require(String value, String what, int longest) {
        if (value.isBlank()) {
            throw new InvalidTaskException(
                    "Expected " + what + " to have 1 to " + longest + " characters, but it is blank.");
        }
        if (value.length() > longest) {
            throw new InvalidTaskException("Expected " + what + " to have 1 to " + longest + " characters, but it has "
                    + value.length() + ".");
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (Character.isISOControl(c)) {
                throw new InvalidTaskException("Expected " + what + " to have no control characters, but character "
                        + (i + 1) + " is U+" + "%04X".formatted((int) c) + ".");
            }
            if (Character.isSurrogate(c) && !isPaired(value, i)) {
                throw new InvalidTaskException("Expected " + what + " to be valid Unicode, but character " + (i + 1)
                        + " is half of a surrogate pair.");
            }
        }
        return value;
    }

    private static boolean isPaired(String value, int at) {
        return Character.isHighSurrogate(value.charAt(at))
                ? at + 1 < value.length() && Character.isLowSurrogate(value.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(value.charAt(at - 1));
    }
}
