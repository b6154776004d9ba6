package io.konduit.queue.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The database server's time, start time and timeline.
 *
 * @param timeline grows by one when a standby is promoted
 * @param beats the number of this worker's heartbeats in the database; null when this is not the answer to a heartbeat
 */
public record ServerTime(
        Instant time,
        Instant startedAt,
        long timeline,
        @Nullable Long beats) {
    /** On the first timeline, without a beat. */
    public ServerTime(Instant time, Instant startedAt) {
        this(time, startedAt, 1, null);
    }
}
