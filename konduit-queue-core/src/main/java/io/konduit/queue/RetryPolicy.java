package io.konduit.queue;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** When a failed task is tried again. Define a bean of this type to replace the one made from {@code konduit.queue.retry.*}. */
public interface RetryPolicy {

    /** How often a task is tried in all when neither its request nor its handler says so. */
    int maxAttempts();

    /**
     * How long to wait before the next attempt.
     *
     * @param attempt the attempt that has just failed, from 1
     */
    Duration backoff(int attempt);

    /** By which part the waits of a handler with a {@link JobHandler#backoff()} of its own are spread, from 0 to 1. */
    default double jitter() {
        return 0.2;
    }

    /** Whether a failure with this error may be tried again at all. */
    default boolean retries(Throwable error) {
        return !(error instanceof DoNotRetryException);
    }

    /** Doubling (or another factor) from {@code initial} to {@code cap}; {@code jitter} 0.2 spreads each wait by up to a fifth either way. */
    static RetryPolicy exponential(int maxAttempts, Duration initial, double multiplier, Duration cap, double jitter) {
        return new ExponentialRetryPolicy(
                maxAttempts, initial, multiplier, cap, jitter, () -> ThreadLocalRandom.current()
                        .nextDouble());
    }

    /** Three attempts, 1 s, doubling, at most 5 min, a fifth of jitter. */
    static RetryPolicy defaults() {
        return exponential(3, Duration.ofSeconds(1), 2.0, Duration.ofMinutes(5), 0.2);
    }
}
