package io.konduit.queue.store;

import java.time.Duration;

/**
 * A run that ended with an error.
 *
 * @param fatal whether it must not be retried
 * @param backoff before the next attempt, when one is left
 */
public record Failure(Lease lease, boolean fatal, Duration backoff, RunError error) {
    /** An error of which only the class name is known. */
    public Failure(Lease lease, boolean fatal, Duration backoff, String type) {
        this(lease, fatal, backoff, new RunError(1, type, null, type));
    }
}
