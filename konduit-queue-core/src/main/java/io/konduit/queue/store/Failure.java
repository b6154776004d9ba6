package io.konduit.queue.store;

import java.time.Duration;

/**
 * A run that ended with an error.
 *
 * @param fatal whether it must not be tried again
 * @param backoff before the next attempt, when one is left
 */
public record Failure(Lease lease, boolean fatal, Duration backoff, RunError error) {
    /** An error of which nothing is known but its name. */
    public Failure(Lease lease, boolean fatal, Duration backoff, String type) {
        this(lease, fatal, backoff, new RunError(1, type, null, type));
    }
}
