package io.konduit.queue.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the database's clock said, since when the server was up, and which history it has.
 *
 * @param timeline grows by one when a standby is promoted
 * @param beats how often this worker has beaten, as the database knows it; null when no beat asked
 */
public record DatabaseMoment(
        Instant moment,
        Instant startedAt,
        long timeline,
        @Nullable Long beats) {
    /** On the first timeline, without a beat. */
    public DatabaseMoment(Instant moment, Instant startedAt) {
        this(moment, startedAt, 1, null);
    }
}
