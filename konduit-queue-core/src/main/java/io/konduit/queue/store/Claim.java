package io.konduit.queue.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a claim.
 *
 * @param tasks best first
 * @param moreFound whether more tasks were due that did not fit into the byte budget
 * @param atMicros when the leases began, the same for all of them: microseconds since 1970 by the database's clock;
 *     null when there are none
 */
public record Claim(
        List<ClaimedTask> tasks,
        boolean moreFound,
        @Nullable Long atMicros) {}
