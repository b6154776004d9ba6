package io.konduit.queue.protocol;

import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Counts what really happened, so that a simulation in which nothing went wrong cannot pass for one that survived. */
final class Tally {
    private final Map<Count, Long> counts = new EnumMap<>(Count.class);

    enum Count {
        CRASHES,
        GRACEFUL_STOPS,
        PAUSES,
        PARTITIONS,
        OUTAGES,
        CLOCK_JUMPS_FORWARD,
        CLOCK_JUMPS_BACK,
        FAILOVERS,
        FREEZES,
        COMMITS_LOST,
        LOST_REPLIES,
        DOUBLED_STATEMENTS,
        LATE_STATEMENTS,
        FAILED_STATEMENTS,
        SKEWED_CLOCKS,
        CLAIMS,
        EXTENSIONS,
        CHECKPOINTS,
        COMPLETIONS,
        FAILURES,
        GIVEN_BACK,
        RECLAIMS,
        HELD_NOT_REAPABLE,
        QUARANTINED,
        ABANDONED,
        OPERATOR_ACTIONS,
        EFFECTS,
        REFUSED_EFFECTS,
        REFUSED_REPORTS,
        REPORTS,
        ALREADY_APPLIED,
        LOST_LEASES,
        BUSY_ROWS,
        SELF_FENCED,
        TIME_LIMITS,
        LIVING_OWNERS_RECLAIMED,
        PASSES_HELD_BACK,
        ORPHANS_RECOVERED,
        EVENTS
    }

    void add(Count count) {
        add(count, 1);
    }

    void add(Count count, long n) {
        counts.merge(count, n, Long::sum);
    }

    void addAll(Tally other) {
        other.counts.forEach(this::add);
    }

    long of(Count count) {
        return counts.getOrDefault(count, 0L);
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue())
                .collect(Collectors.joining(", "));
    }
}
