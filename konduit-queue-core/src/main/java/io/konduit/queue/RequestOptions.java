package io.konduit.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a request can say beyond type and payload. Null leaves the choice to the handler, then to the properties. */
record RequestOptions(
        @Nullable String queue,
        Priority priority,
        @Nullable Instant runAt,
        @Nullable Duration delay,
        @Nullable Integer maxAttempts,
        @Nullable Boolean reapable,
        @Nullable String uniqueKey,
        @Nullable Duration lockTimeout,
        @Nullable Duration timeout) {

    static final RequestOptions NONE = new Change().done();

    /** A copy with one change. */
    RequestOptions with(Consumer<Change> step) {
        Change change = new Change();
        change.queue = queue;
        change.priority = priority;
        change.runAt = runAt;
        change.delay = delay;
        change.maxAttempts = maxAttempts;
        change.reapable = reapable;
        change.uniqueKey = uniqueKey;
        change.lockTimeout = lockTimeout;
        change.timeout = timeout;
        step.accept(change);
        return change.done();
    }

    /** A mutable copy. */
    static final class Change {
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

        private RequestOptions done() {
            return new RequestOptions(
                    queue, priority, runAt, delay, maxAttempts, reapable, uniqueKey, lockTimeout, timeout);
        }
    }
}
