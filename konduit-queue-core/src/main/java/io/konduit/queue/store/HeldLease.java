package io.konduit.queue.store;

/**
 * A lease as its row shows it.
 *
 * @param atMicros when it began, as in {@link Claim#atMicros}
 */
public record HeldLease(Lease lease, long atMicros) {}
