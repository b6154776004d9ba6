package io.konduit.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A task to be enqueued. Immutable: each call returns a new request. What is not set is decided by the handler, then by the properties. */
public final class TaskRequest {
    private final String type;
    private final @Nullable Object payload;
    private final Options options;

    private TaskRequest(String type, @Nullable Object payload, Options options) {
        this.type = type;
        this.payload = payload;
        this.options = options;
    }

    private record Options(
            @Nullable String queue,
            Priority priority,
            @Nullable Instant runAt,
            @Nullable Duration delay,
            @Nullable Integer maxAttempts,
            @Nullable Boolean reapable,
            @Nullable String uniqueKey,
            @Nullable Duration lockTimeout,
            @Nullable Duration timeout) {}

    /** What a caller may change, one field at a time. */
    private static final class Change {
        @Nullable
        String queue;

        Priority priority = Priority.NORMAL;

        @Nullable
        Instant runAt;

        @Nullable
        Duration delay;

        @Nullable
        Integer maxAttempts;

        @Nullable
        Boolean reapable;

        @Nullable
        String uniqueKey;

        @Nullable
        Duration lockTimeout;

        @Nullable
        Duration timeout;

        Options done() {
            return new Options(queue, priority, runAt, delay, maxAttempts, reapable, uniqueKey, lockTimeout, timeout);
        }
    }

    public static TaskRequest of(String type, @Nullable Object payload) {
        return new TaskRequest(type, payload, new Change().done());
    }

    /** The queue to put the task into. */
    public TaskRequest queue(String queue) {
        return with(change -> change.queue = queue);
    }

    public TaskRequest priority(Priority priority) {
        return with(change -> change.priority = priority);
    }

    /** Not before this moment of the database's clock. Replaces a {@link #delay}. */
    public TaskRequest runAt(Instant runAt) {
        return with(change -> {
            change.runAt = runAt;
            change.delay = null;
        });
    }

    /** Not before this much time has passed on the database's clock. Replaces a {@link #runAt}. */
    public TaskRequest delay(Duration delay) {
        return with(change -> {
            change.delay = delay;
            change.runAt = null;
        });
    }

    /** How often the task may be tried in all, at least once. */
    public TaskRequest maxAttempts(int maxAttempts) {
        return with(change -> change.maxAttempts = maxAttempts);
    }

    /** Whether the task runs again on its own after its worker was lost. Overrides the handler's choice. */
    public TaskRequest reapable(boolean reapable) {
        return with(change -> change.reapable = reapable);
    }

    /** At most one live task per queue has this key; a second request returns the first one's id. */
    public TaskRequest uniqueKey(String uniqueKey) {
        return with(change -> change.uniqueKey = uniqueKey);
    }

    /** How long a lease on this task lasts before it must be extended. */
    public TaskRequest lockTimeout(Duration lockTimeout) {
        return with(change -> change.lockTimeout = lockTimeout);
    }

    /** The hard limit of one run; zero means none. */
    public TaskRequest timeout(Duration timeout) {
        return with(change -> change.timeout = timeout);
    }

    private TaskRequest with(Consumer<Change> step) {
        Change change = new Change();
        change.queue = options.queue;
        change.priority = options.priority;
        change.runAt = options.runAt;
        change.delay = options.delay;
        change.maxAttempts = options.maxAttempts;
        change.reapable = options.reapable;
        change.uniqueKey = options.uniqueKey;
        change.lockTimeout = options.lockTimeout;
        change.timeout = options.timeout;
        step.accept(change);
        return new TaskRequest(type, payload, change.done());
    }

    public String type() {
        return type;
    }

    public @Nullable Object payload() {
        return payload;
    }

    public @Nullable String queue() {
        return options.queue;
    }

    public Priority priority() {
        return options.priority;
    }

    public @Nullable Instant runAt() {
        return options.runAt;
    }

    public @Nullable Duration delay() {
        return options.delay;
    }

    public @Nullable Integer maxAttempts() {
        return options.maxAttempts;
    }

    public @Nullable Boolean reapable() {
        return options.reapable;
    }

    public @Nullable String uniqueKey() {
        return options.uniqueKey;
    }

    public @Nullable Duration lockTimeout() {
        return options.lockTimeout;
    }

    public @Nullable Duration timeout() {
        return options.timeout;
    }

    /** Without the payload, which never shows in logs. */
    @Override
    public String toString() {
        return "TaskRequest[type=" + type + ", " + options + "]";
    }
}
