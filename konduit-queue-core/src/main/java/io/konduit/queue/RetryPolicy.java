package io.konduit.queue;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Decides whether and when a failed task is retried. Define a bean of this type to replace the one built from
 * {@code konduit.queue.retry.*}.
 */
public interface RetryPolicy {

    /** The maximum number of attempts when neither the request nor the handler sets one. */
    int maxAttempts();

    /**
     * The delay before the next attempt.
     *
     * @param attempt the attempt that has just failed, from 1
     */
    Duration backoff(int attempt);

    /** The jitter for handlers that declare a {@link JobHandler#backoff()}, as a fraction from 0 to 1. */
    default double jitter() {
        return 0.2;
    }

    /** Whether a task that failed with this error may be retried. */
    default boolean retries(Throwable error) {
        return !(error instanceof DoNotRetryException);
    }

    /**
     * Exponential backoff: each delay is {@code multiplier} times the previous one, from {@code initial} up to
     * {@code cap}. A {@code jitter} of 0.2 varies each delay by up to 20 % in either direction.
     */
    static RetryPolicy exponential(int maxAttempts, Duration initial, double multiplier, Duration cap, double jitter) {
        return new ExponentialRetryPolicy(
                maxAttempts, initial, multiplier, cap, jitter, () -> ThreadLocalRandom.current()
                        .nextDouble());
    }
}
