package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.InvalidScheduleException;
import io.konduit.queue.ScheduleNotFoundException;
import io.konduit.queue.ScheduleStateException;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.admin.QueueNotFoundException;
import io.konduit.queue.admin.TaskNotFoundException;
import io.konduit.queue.admin.TaskStateException;
import io.konduit.queue.admin.WorkerNotFoundException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.dao.DataAccessException;

/**
 * A problem detail (RFC 9457).
 *
 * @param type stable, for programs
 * @param detail what was expected, what was found, what to do
 */
public record Problem(String type, String title, int status, String detail) implements OperationResponseBody {
    private static final String PREFIX = "urn:konduit-queue:problem:";

    /** The problem for an error; null when a caller cannot do anything about it. */
    public static @Nullable Problem of(RuntimeException error) {
        if (error instanceof InvalidRequestException || error instanceof InvalidScheduleException) {
            return of("invalid-request", "Invalid request", 400, error);
        }
        if (error instanceof WritesNotAllowedException) {
            return of("writes-not-allowed", "Writes are not allowed", 403, error);
        }
        if (error instanceof TaskNotFoundException) {
            return of("unknown-task", "Unknown task", 404, error);
        }
        if (error instanceof QueueNotFoundException) {
            return of("unknown-queue", "Unknown queue", 404, error);
        }
        if (error instanceof ScheduleNotFoundException) {
            return of("unknown-schedule", "Unknown schedule", 404, error);
        }
        if (error instanceof WorkerNotFoundException) {
            return of("unknown-worker", "Unknown worker", 404, error);
        }
        if (error instanceof UnknownPathException) {
            return of("unknown-path", "Unknown path", 404, error);
        }
        if (error instanceof TaskStateException || error instanceof ScheduleStateException) {
            return of("wrong-state", "Wrong state", 409, error);
        }
        if (error instanceof DataAccessException) {
            return new Problem(
                    PREFIX + "database",
                    "The database did not answer as expected",
                    503,
                    "Expected an answer of the database, found "
                            + error.getClass().getSimpleName()
                            + ". See the health of the application and its log, then try again.");
        }
        return null;
    }

    private static Problem of(String type, String title, int status, RuntimeException error) {
        return new Problem(PREFIX + type, title, status, String.valueOf(error.getMessage()));
    }
}
