package io.konduit.queue.store;

/**
 * A lease as its row shows it.
 *
 * @param atMicros when it began, as {@link Claim#atMicros} says it
 */
public record HeldLease(Lease lease, long atMicros) {}
