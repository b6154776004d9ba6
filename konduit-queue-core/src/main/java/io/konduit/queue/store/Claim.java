package io.konduit.queue.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a claim brought.
 *
 * @param tasks best first
 * @param moreFound whether more was due for which the budget in bytes had no room
 * @param atMicros when the leases began, the same for all of them: microseconds since 1970 by the database's clock; null
 *     when there are none
 */
public record Claim(
        List<ClaimedTask> tasks,
        boolean moreFound,
        @Nullable Long atMicros) {}
