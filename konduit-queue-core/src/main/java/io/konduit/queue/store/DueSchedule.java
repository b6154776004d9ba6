package io.konduit.queue.store;

import io.konduit.queue.CatchUp;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A schedule that is due.
 *
 * @param version of the row that was read
 * @param nextAt its earliest nominal time that has not been decided
 * @param unfinished the previous task if it keeps this schedule from firing
 * @param now the database's time
 */
public record DueSchedule(
        String name,
        long version,
        String type,
        String queue,
        @Nullable String cron,
        @Nullable String zone,
        @Nullable Duration every,
        CatchUp catchUp,
        Instant nextAt,
        @Nullable Long unfinished,
        Instant now) {}
