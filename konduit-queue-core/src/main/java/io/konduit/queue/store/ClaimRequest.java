package io.konduit.queue.store;

import io.konduit.queue.Priority;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker asks for.
 *
 * @param probes where to look, best first
 * @param handlers what this worker's handlers declare, for tasks whose sender left it open
 * @param types the types this worker has handlers for
 * @param budget the limit in bytes for payloads and checkpoints; the first task is returned whatever its size
 * @param stillRunning tasks left to other workers, because an older run of them is still alive here
 * @param announce whether to notify the other instances that a worker holds leases, if the claim returns any
 */
public record ClaimRequest(
        List<Probe> probes,
        int limit,
        Duration lockTimeout,
        int maxAttempts,
        Collection<Declared> handlers,
        Collection<String> types,
        long budget,
        Collection<Long> stillRunning,
        boolean announce) {

    /** A request without a limit in bytes. */
    public ClaimRequest(
            List<Probe> probes,
            int limit,
            Duration lockTimeout,
            int maxAttempts,
            Collection<Declared> handlers,
            Collection<String> types) {
        this(probes, limit, lockTimeout, maxAttempts, handlers, types, Long.MAX_VALUE);
    }

    /** A request of a worker without hanging runs. */
    public ClaimRequest(
            List<Probe> probes,
            int limit,
            Duration lockTimeout,
            int maxAttempts,
            Collection<Declared> handlers,
            Collection<String> types,
            long budget) {
        this(probes, limit, lockTimeout, maxAttempts, handlers, types, budget, List.of());
    }

    /** A request that notifies nobody. */
    public ClaimRequest(
            List<Probe> probes,
            int limit,
            Duration lockTimeout,
            int maxAttempts,
            Collection<Declared> handlers,
            Collection<String> types,
            long budget,
            Collection<Long> stillRunning) {
        this(probes, limit, lockTimeout, maxAttempts, handlers, types, budget, stillRunning, false);
    }

    /**
     * One queue at one priority.
     *
     * @param lowerBound skips what is older: a PostgreSQL timestamp, {@link #UNBOUNDED} for none
     * @param searched skips tasks that became due longer ago than this, because an earlier probe found none to take;
     *     null for none
     */
    public record Probe(
            String queue,
            int priority,
            String lowerBound,
            @Nullable Duration searched) {
        /** The lower bound that skips nothing. */
        public static final String UNBOUNDED = "-infinity";

        public Probe(String queue, int priority, String lowerBound) {
            this(queue, priority, lowerBound, null);
        }

        /** Skips nothing. */
        public static Probe everything(String queue, Priority priority) {
            return new Probe(queue, priority.level(), UNBOUNDED);
        }
    }

    /** What the handler of a type declares; null where it leaves the choice to the settings. */
    public record Declared(
            String type,
            @Nullable Duration lockTimeout,
            @Nullable Integer maxAttempts,
            boolean reapable) {}
}
