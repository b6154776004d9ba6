package io.konduit.queue.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker asks for.
 *
 * @param probes where to look, best first
 * @param handlers what this worker's handlers declare, for tasks whose sender decided nothing
 * @param unknownTypes types that this worker has met and has no handler for
 */
public record ClaimRequest(
        List<Probe> probes,
        int most,
        Duration lockTimeout,
        int maxAttempts,
        Collection<Declared> handlers,
        Collection<String> unknownTypes) {

    /**
     * One queue at one priority.
     *
     * @param lowerBound skips what is older: a PostgreSQL timestamp, {@code -infinity} for none
     */
    public record Probe(String queue, int priority, String lowerBound) {}

    /** What the handler of a type declares; null where it leaves the choice to the settings. */
    public record Declared(
            String type,
            @Nullable Duration lockTimeout,
            @Nullable Integer maxAttempts,
            boolean reapable) {}
}
