package io.konduit.queue.testing;

import org.jspecify.annotations.Nullable;

/**
 * A point that a run has passed.
 *
 * @param before whether what the point is about has not happened yet: a zombie pauses there
 * @param number counts the points of a kind, and of a name if it has one
 * @param where the statement and the line of the application, as far as known
 */
record PassedPoint(
        Kind kind,
        boolean before,
        int number,
        String name,
        @Nullable String where) {
    static final String COMPLETION = "completion";

    enum Kind {
        START,
        COMMIT,
        CHECKPOINT,
        NAMED,
        /** The handler has ended; the name is that of the outcome. */
        END,
        /** The outcome is written. */
        OUTCOME;

        /** Whether a line of the application passes it. */
        boolean isInHandler() {
            return this == COMMIT || this == CHECKPOINT || this == NAMED;
        }
    }

    /** A worker can die here. */
    boolean isDeadly() {
        return !before;
    }

    /** A worker can freeze here, lose its lease, and go on. */
    boolean isForZombies() {
        return before || kind == Kind.START || kind == Kind.END;
    }

    boolean isSameAs(PassedPoint other) {
        return kind == other.kind && before == other.before && number == other.number && name.equals(other.name);
    }

    /** Without the place. */
    String what() {
        return switch (kind) {
            case START -> "at the start" + again(" of run ");
            case COMMIT -> side() + "commit " + number;
            case CHECKPOINT -> side() + "checkpoint " + number;
            case NAMED -> "at '" + name + "'" + again(", time ");
            case END -> "before the " + name + again(" of run ");
            case OUTCOME -> "after the " + name + again(" of run ");
        };
    }

    private String side() {
        return before ? "before " : "after ";
    }

    private String again(String word) {
        return number == 1 ? "" : word + number;
    }

    @Override
    public String toString() {
        return where == null ? what() : what() + " (" + where + ")";
    }
}
