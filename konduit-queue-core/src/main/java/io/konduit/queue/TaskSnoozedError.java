package io.konduit.queue;

import java.time.Duration;
import java.util.Optional;

/**
 * Ends a run that its handler has snoozed. Thrown by {@link TaskContext#snooze}. Do not catch it.
 *
 * <p>An {@link Error}, so that a handler's {@code catch (Exception e)} does not treat it as a failure, and so that a
 * transaction that is open rolls back.
 */
public final class TaskSnoozedError extends Error {
    private static final long serialVersionUID = 1L;

    private final Duration duration;

    public TaskSnoozedError(String task, Duration duration) {
        super("The handler has snoozed " + task + " for " + duration + ". Let this pass.", null, false, false);
        this.duration = duration;
    }

    /** How long until the task may run again. */
    public Duration duration() {
        return duration;
    }

    /** The error itself, or the one that is a cause of it. Frameworks may have wrapped it. */
    public static Optional<TaskSnoozedError> behind(Throwable error) {
        int depth = 0;
        for (Throwable cause = error; cause != null && depth < 50; cause = cause.getCause()) {
            if (cause instanceof TaskSnoozedError snoozed) {
                return Optional.of(snoozed);
            }
            depth++;
        }
        return Optional.empty();
    }
}
