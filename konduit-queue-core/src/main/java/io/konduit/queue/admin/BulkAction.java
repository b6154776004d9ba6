package io.konduit.queue.admin;

import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.store.BulkRepository.Kind;
import io.konduit.queue.store.Start;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What {@link TaskAdministration#apply} does to every task that matches. */
public final class BulkAction {
    static final int MOST_ATTEMPTS = 10_000;

    private final Kind kind;
    private final int attempts;
    private final @Nullable Start start;

    private BulkAction(Kind kind, int attempts, @Nullable Start start) {
        this.kind = kind;
        this.attempts = attempts;
        this.start = start;
    }

    /** Lets held tasks run again. */
    public static BulkAction release() {
        return new BulkAction(Kind.RELEASE, 0, null);
    }

    /** Says that held tasks are not to run again. */
    public static BulkAction fail() {
        return new BulkAction(Kind.FAIL, 0, null);
    }

    /** Gives failed tasks so many more attempts. */
    public static BulkAction retry(int attempts) {
        if (attempts < 1 || attempts > MOST_ATTEMPTS) {
            throw new InvalidTaskException(
                    "Expected 1 to " + MOST_ATTEMPTS + " more attempts, but found " + attempts + ".");
        }
        return new BulkAction(Kind.RETRY, attempts, null);
    }

    /** Takes live tasks back for good, whatever their state; the filter's status says which. */
    public static BulkAction cancel() {
        return new BulkAction(Kind.CANCEL, 0, null);
    }

    /** Moves the start of waiting tasks; a start in the past means now. */
    public static BulkAction reschedule(Instant runAt) {
        return new BulkAction(Kind.RESCHEDULE, 0, Start.at(runAt));
    }

    /** Lets waiting tasks start when so much time has passed on the database's clock. */
    public static BulkAction reschedule(Duration delay) {
        return new BulkAction(Kind.RESCHEDULE, 0, Start.after(delay));
    }

    Kind kind() {
        return kind;
    }

    int attempts() {
        return attempts;
    }

    @Nullable
    Start start() {
        return start;
    }

    /** Whether tasks may have to be picked up by workers afterwards. */
    boolean makesDue() {
        return kind == Kind.RELEASE || kind == Kind.RETRY || kind == Kind.RESCHEDULE;
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
