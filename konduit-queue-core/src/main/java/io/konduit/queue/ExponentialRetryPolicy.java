package io.konduit.queue;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/** Exponential backoff with a cap and jitter. */
record ExponentialRetryPolicy(
        int maxAttempts, Duration initial, double multiplier, Duration cap, double jitter, DoubleSupplier random)
        implements RetryPolicy {

    ExponentialRetryPolicy {
        require(maxAttempts >= 1, "maxAttempts must be at least 1 but is " + maxAttempts + ".");
        require(!initial.isNegative(), "initial must not be negative but is " + initial + ".");
        require(multiplier >= 1, "multiplier must be at least 1 but is " + multiplier + ".");
        require(cap.compareTo(initial) >= 0, "cap (" + cap + ") must be at least initial (" + initial + ").");
        require(jitter >= 0 && jitter <= 1, "jitter must be between 0 and 1 but is " + jitter + ".");
    }

    @Override
    public Duration backoff(int attempt) {
        double grown = initial.toMillis() * Math.pow(multiplier, Math.max(0, attempt - 1));
        double spread = 1 + jitter * (2 * random.getAsDouble() - 1);
        return Duration.ofMillis((long) Math.min(cap.toMillis(), Math.min(grown, cap.toMillis()) * spread));
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException("Retry policy: " + message);
        }
    }
}
