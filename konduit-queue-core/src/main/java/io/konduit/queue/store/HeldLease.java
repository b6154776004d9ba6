package io.konduit.queue.store;

import java.time.OffsetDateTime;

/**
 * A lease as its row shows it.
 *
 * @param at when it began, by the database's clock
 */
public record HeldLease(Lease lease, OffsetDateTime at) {}
