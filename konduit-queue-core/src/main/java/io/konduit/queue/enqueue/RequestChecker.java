package io.konduit.queue.enqueue;

import io.konduit.queue.InvalidTaskException;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.UnknownTaskTypeException;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.insert.NewTask;
import io.konduit.queue.settings.DurationText;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.settings.TaskNames;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns a request into a row, or reports what is wrong with it. The handler, if present, decides what the request
 * leaves open.
 */
public final class RequestChecker {
    /** Beyond PostgreSQL's interval arithmetic and any real schedule: probably a typo. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");
    private static final Instant EARLIEST = Instant.EPOCH;

    private final JobHandlerRegistry handlers;
    private final PayloadConverter converter;
    private final boolean rejectUnknownTypes;

    public RequestChecker(JobHandlerRegistry handlers, PayloadConverter converter, boolean rejectUnknownTypes) {
        this.handlers = handlers;
        this.converter = converter;
        this.rejectUnknownTypes = rejectUnknownTypes;
    }

    /** Throws when something is wrong with the request. */
    public NewTask check(TaskRequest request, @Nullable String traceContext) {
        String type = TaskNames.requireType(request.type(), "the task type");
        Optional<JobHandlerMethod> handler = handlers.find(type);
        if (rejectUnknownTypes && handler.isEmpty()) {
            throw new UnknownTaskTypeException(
                    ("No handler of this application has the type '%s'; known are %s. Correct the type, or set '"
                                    + PropertyNames.REJECT_UNKNOWN_TYPES
                                    + "' to false if another application handles it.")
                            .formatted(type, handlers.types()));
        }
        handler.ifPresent(known -> known.requireOwnPayload(request.payload()));
        if (request.maxAttempts() != null && request.maxAttempts() < 1) {
            throw new InvalidTaskException("Expected maxAttempts of a '%s' task to be at least 1, but it is %d."
                    .formatted(type, request.maxAttempts()));
        }
        return new NewTask(
                queue(request, handler),
                type,
                converter.writePayload(
                        request.payload(),
                        type,
                        handler.map(JobHandlerMethod::payloadType).orElse(null)),
                request.priority().level(),
                runAt(request.runAt(), type),
                span(request.delay(), "delay", type, Duration.ZERO),
                request.maxAttempts() != null
                        ? request.maxAttempts()
                        : handler.map(JobHandlerMethod::maxAttempts).orElse(null),
                request.reapable() != null
                        ? request.reapable()
                        : handler.map(JobHandlerMethod::reapable).orElse(null),
                request.lockTimeout() == null
                        ? null
                        : span(request.lockTimeout(), "lockTimeout", type, TaskNames.SHORTEST_LOCK_TIMEOUT),
                request.timeout() == null ? null : span(request.timeout(), "timeout", type, Duration.ZERO),
                request.uniqueKey() == null
                        ? null
                        : TaskNames.requireUniqueKey(request.uniqueKey(), "the unique key of a '" + type + "' task"),
                traceContext);
    }

    private static String queue(TaskRequest request, Optional<JobHandlerMethod> handler) {
        if (request.queue() != null) {
            return TaskNames.requireQueue(request.queue(), "the queue of a '" + request.type() + "' task");
        }
        return handler.map(JobHandlerMethod::queue).orElse(TaskNames.DEFAULT_QUEUE);
    }

    private static @Nullable Instant runAt(@Nullable Instant runAt, String type) {
        if (runAt != null && (runAt.isAfter(LATEST) || runAt.isBefore(EARLIEST))) {
            throw new InvalidTaskException("Expected runAt of a '%s' task to be between %s and %s, but it is %s."
                    .formatted(type, EARLIEST, LATEST, runAt));
        }
        return runAt;
    }

    private static Duration span(@Nullable Duration value, String name, String type, Duration least) {
        if (value == null) {
            return Duration.ZERO;
        }
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new InvalidTaskException("Expected %s of a '%s' task to be between %s and %s, but it is %s."
                    .formatted(name, type, DurationText.of(least), DurationText.of(LONGEST), DurationText.of(value)));
        }
        return value;
    }
}
