package io.konduit.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task to enqueue. Immutable: each method returns a new request. For a value that is not set, the handler's
 * annotation decides, then the properties.
 */
public final class TaskRequest {
    private final String type;
    private final @Nullable Object payload;
    private final RequestOptions options;

    private TaskRequest(String type, @Nullable Object payload, RequestOptions options) {
        this.type = type;
        this.payload = payload;
        this.options = options;
    }

    public static TaskRequest of(String type, @Nullable Object payload) {
        return new TaskRequest(type, payload, RequestOptions.NONE);
    }

    /**
     * A request for a payload whose class says its type.
     *
     * @throws InvalidTaskException if the class has no {@link TaskType}
     */
    public static TaskRequest of(Object payload) {
        return new TaskRequest(PayloadTaskTypes.require(payload), payload, RequestOptions.NONE);
    }

    /**
     * The task type of payloads of a class, if it has a {@link TaskType} or inherits one.
     *
     * @throws InvalidTaskException if it inherits several
     */
    public static Optional<String> typeOf(Class<?> payload) {
        return PayloadTaskTypes.of(payload);
    }

    /** The queue to put the task into. */
    public TaskRequest queue(String queue) {
        return with(change -> change.queue = queue);
    }

    public TaskRequest priority(Priority priority) {
        return with(change -> change.priority = priority);
    }

    /** The earliest start, by the database's clock. Replaces a {@link #delay}. */
    public TaskRequest runAt(Instant runAt) {
        return with(change -> {
            change.runAt = runAt;
            change.delay = null;
        });
    }

    /** The minimum delay before the start, by the database's clock. Replaces a {@link #runAt}. */
    public TaskRequest delay(Duration delay) {
        return with(change -> {
            change.delay = delay;
            change.runAt = null;
        });
    }

    /** The maximum number of attempts, at least 1. */
    public TaskRequest maxAttempts(int maxAttempts) {
        return with(change -> change.maxAttempts = maxAttempts);
    }

    /** Whether the task is run again automatically after its worker was lost. Overrides the handler's setting. */
    public TaskRequest reapable(boolean reapable) {
        return with(change -> change.reapable = reapable);
    }

    /** A key that at most one live task per queue may have. A second request with the key returns the first task's id. */
    public TaskRequest uniqueKey(String uniqueKey) {
        return with(change -> change.uniqueKey = uniqueKey);
    }

    /** How long a lease on this task lasts unless it is extended. */
    public TaskRequest lockTimeout(Duration lockTimeout) {
        return with(change -> change.lockTimeout = lockTimeout);
    }

    /** The time limit for one run. Zero means no limit. */
    public TaskRequest timeout(Duration timeout) {
        return with(change -> change.timeout = timeout);
    }

    private TaskRequest with(Consumer<RequestOptions.Change> step) {
        return new TaskRequest(type, payload, options.with(step));
    }

    public String type() {
        return type;
    }

    public @Nullable Object payload() {
        return payload;
    }

    public @Nullable String queue() {
        return options.queue();
    }

    public Priority priority() {
        return options.priority();
    }

    public @Nullable Instant runAt() {
        return options.runAt();
    }

    public @Nullable Duration delay() {
        return options.delay();
    }

    public @Nullable Integer maxAttempts() {
        return options.maxAttempts();
    }

    public @Nullable Boolean reapable() {
        return options.reapable();
    }

    public @Nullable String uniqueKey() {
        return options.uniqueKey();
    }

    public @Nullable Duration lockTimeout() {
        return options.lockTimeout();
    }

    public @Nullable Duration timeout() {
        return options.timeout();
    }

    /** Omits the payload, which must never appear in logs. */
    @Override
    public String toString() {
        return "TaskRequest[type=" + type + ", " + options + "]";
    }
}
