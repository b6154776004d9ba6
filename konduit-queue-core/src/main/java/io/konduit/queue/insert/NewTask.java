package io.konduit.queue.insert;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A checked request, ready to be stored; null leaves the choice to the worker.
 *
 * @param runAt null for now plus {@code delay} by the database's clock
 * @param traceContext of the sender, as the tracer wrote it
 */
public record NewTask(
        String queue,
        String type,
        String payload,
        int priority,
        @Nullable Instant runAt,
        Duration delay,
        @Nullable Integer maxAttempts,
        @Nullable Boolean reapable,
        @Nullable Duration lockTimeout,
        @Nullable Duration timeout,
        @Nullable String uniqueKey,
        @Nullable String traceContext) {

    @Nullable
    Long lockTimeoutMs() {
        return lockTimeout == null ? null : lockTimeout.toMillis();
    }

    @Nullable
    Long timeoutMs() {
        return timeout == null ? null : timeout.toMillis();
    }

    /** Whether everything but the payload is the same. */
    boolean differsInPayloadOnly(NewTask other) {
        return queue.equals(other.queue)
                && type.equals(other.type)
                && priority == other.priority
                && Objects.equals(runAt, other.runAt)
                && delay.equals(other.delay)
                && Objects.equals(maxAttempts, other.maxAttempts)
                && Objects.equals(reapable, other.reapable)
                && Objects.equals(lockTimeout, other.lockTimeout)
                && Objects.equals(timeout, other.timeout)
                && Objects.equals(uniqueKey, other.uniqueKey)
                && Objects.equals(traceContext, other.traceContext);
    }

    /** Without the payload, which is never logged. */
    @Override
    public String toString() {
        return "NewTask[type=" + type + ", queue=" + queue + "]";
    }
}
