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
 * @param types what this worker has handlers for
 * @param budget the most bytes of payloads and checkpoints; the first task comes however large it is
 * @param stillRunning tasks that are left to other workers, because an older run of them goes on here
 */
public record ClaimRequest(
        List<Probe> probes,
        int most,
        Duration lockTimeout,
        int maxAttempts,
        Collection<Declared> handlers,
        Collection<String> types,
        long budget,
        Collection<Long> stillRunning) {

    /** A request without a limit in bytes. */
    public ClaimRequest(
            List<Probe> probes,
            int most,
            Duration lockTimeout,
            int maxAttempts,
            Collection<Declared> handlers,
            Collection<String> types) {
        this(probes, most, lockTimeout, maxAttempts, handlers, types, Long.MAX_VALUE);
    }

    /** A request of a worker in which no older run goes on. */
    public ClaimRequest(
            List<Probe> probes,
            int most,
            Duration lockTimeout,
            int maxAttempts,
            Collection<Declared> handlers,
            Collection<String> types,
            long budget) {
        this(probes, most, lockTimeout, maxAttempts, handlers, types, budget, List.of());
    }

    /**
     * One queue at one priority.
     *
     * @param lowerBound skips what is older: a PostgreSQL timestamp, {@code -infinity} for none
     * @param searched skips what was due longer ago than this, because it was searched in vain; null for none
     */
    public record Probe(
            String queue,
            int priority,
            String lowerBound,
            @Nullable Duration searched) {
        public Probe(String queue, int priority, String lowerBound) {
            this(queue, priority, lowerBound, null);
        }
    }

    /** What the handler of a type declares; null where it leaves the choice to the settings. */
    public record Declared(
            String type,
            @Nullable Duration lockTimeout,
            @Nullable Integer maxAttempts,
            boolean reapable) {}
}
