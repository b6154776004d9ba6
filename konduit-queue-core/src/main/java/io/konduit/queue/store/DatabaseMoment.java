package io.konduit.queue.store;

import java.time.Instant;

/** What the database's clock said, and since when the server was up. */
public record DatabaseMoment(Instant moment, Instant startedAt) {}
