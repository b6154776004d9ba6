package io.konduit.queue.admin;

import io.konduit.queue.TaskStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What {@link TaskAdministration#apply} does to every matching task. */
public final class BulkAction {
    /** How many more attempts a retry may give. */
    public static final int MAX_ATTEMPTS = 10_000;

    private final Kind kind;
    private final int attempts;
    private final @Nullable Instant runAt;
    private final @Nullable Duration delay;

    private BulkAction(Kind kind, int attempts, @Nullable Instant runAt, @Nullable Duration delay) {
        this.kind = kind;
        this.attempts = attempts;
        this.runAt = runAt;
        this.delay = delay;
    }

    /** The possible actions, and the task states they apply to. */
    public enum Kind {
        RELEASE(TaskStatus.HELD),
        FAIL(TaskStatus.HELD),
        RETRY(TaskStatus.FAILED),
        CANCEL(TaskStatus.PENDING, TaskStatus.RUNNING, TaskStatus.HELD, TaskStatus.FAILED),
        RESCHEDULE(TaskStatus.PENDING);

        private final Set<TaskStatus> from;

        Kind(TaskStatus... from) {
            this.from = Set.of(from);
        }

        /** The states of the tasks that it applies to. */
        public Set<TaskStatus> from() {
            return from;
        }
    }

    /** Lets held tasks run again. */
    public static BulkAction release() {
        return new BulkAction(Kind.RELEASE, 0, null, null);
    }

    /** Decides that held tasks must not run again. */
    public static BulkAction fail() {
        return new BulkAction(Kind.FAIL, 0, null, null);
    }

    /** Gives failed tasks this many more attempts. */
    public static BulkAction retry(int attempts) {
        return new BulkAction(Kind.RETRY, requireAttempts(attempts), null, null);
    }

    /** Cancels live tasks permanently, whatever their state; the filter's status can narrow the selection. */
    public static BulkAction cancel() {
        return new BulkAction(Kind.CANCEL, 0, null, null);
    }

    /** Moves the start of waiting tasks; a start in the past means now. */
    public static BulkAction reschedule(Instant runAt) {
        return new BulkAction(Kind.RESCHEDULE, 0, runAt, null);
    }

    /** Lets waiting tasks start after this delay by the database's clock. */
    public static BulkAction reschedule(Duration delay) {
        return new BulkAction(Kind.RESCHEDULE, 0, null, delay);
    }

    public Kind kind() {
        return kind;
    }

    /** How many more attempts a retry gives. */
    public int attempts() {
        return attempts;
    }

    /** The new start of a reschedule to an instant. */
    public @Nullable Instant runAt() {
        return runAt;
    }

    /** The delay of a reschedule by the database's clock. */
    public @Nullable Duration delay() {
        return delay;
    }

    private static int requireAttempts(int attempts) {
        if (attempts < 1 || attempts > MAX_ATTEMPTS) {
            throw new InvalidRequestException(
                    "Expected 1 to " + MAX_ATTEMPTS + " more attempts, but found " + attempts + ".");
        }
        return attempts;
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
