package io.konduit.queue.testing;

import java.util.Objects;

/**
 * A point in the life of a task where its worker can die.
 *
 * <p>Commits and checkpoints are counted from the start of the task, over all its attempts. A statement outside a
 * transaction commits by itself and counts as a commit.
 */
public final class CrashPoint {
    private final PassedPoint.Kind kind;
    private final int number;
    private final String name;

    private CrashPoint(PassedPoint.Kind kind, int number, String name) {
        if (number < 1) {
            throw new IllegalArgumentException("Expected a number of 1 or more, but it is " + number + ".");
        }
        this.kind = kind;
        this.number = number;
        this.name = name;
    }

    /** The task is claimed, and its handler has not begun. */
    public static CrashPoint atStart() {
        return new CrashPoint(PassedPoint.Kind.START, 1, "");
    }

    /** The n-th commit of the handler has been applied, and the handler does not know it yet. */
    public static CrashPoint afterCommit(int number) {
        return new CrashPoint(PassedPoint.Kind.COMMIT, number, "");
    }

    /** The n-th checkpoint is written. Inside a transaction it is lost with that transaction. */
    public static CrashPoint afterCheckpoint(int number) {
        return new CrashPoint(PassedPoint.Kind.CHECKPOINT, number, "");
    }

    /** The first time that {@link #reached} is called with this name. */
    public static CrashPoint named(String name) {
        return new CrashPoint(PassedPoint.Kind.NAMED, 1, name);
    }

    /** The handler has returned, and the completion is not written. */
    public static CrashPoint beforeCompletion() {
        return new CrashPoint(PassedPoint.Kind.END, 1, PassedPoint.COMPLETION);
    }

    /** The completion is written. */
    public static CrashPoint afterCompletion() {
        return new CrashPoint(PassedPoint.Kind.OUTCOME, 1, PassedPoint.COMPLETION);
    }

    /**
     * Marks a point: call it in a fake of an external system, after the effect. Does nothing unless a test of crashes
     * is watching.
     */
    public static void reached(String name) {
        Life life = CrashGate.life();
        if (life != null) {
            life.reached(Objects.requireNonNull(name));
        }
    }

    boolean matches(PassedPoint passed) {
        return !passed.before()
                && passed.kind() == kind
                && passed.number() == number
                && passed.name().equals(name);
    }

    @Override
    public String toString() {
        return new PassedPoint(kind, false, number, name, null).what();
    }
}
