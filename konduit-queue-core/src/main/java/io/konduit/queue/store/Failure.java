package io.konduit.queue.store;

import java.time.Duration;

/**
 * A run that ended with an error.
 *
 * @param fatal whether it must not be tried again
 * @param backoff before the next attempt, when one is left
 */
public record Failure(Lease lease, boolean fatal, Duration backoff, String error) {}
