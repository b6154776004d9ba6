package io.konduit.queue.worker;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Outcomes whose rows somebody else has locked. They are tried again apart from all others, each after a pause that
 * grows. For the completer's thread only.
 */
final class LockedOutcomes {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Map<Execution, Waiting> waiting = new LinkedHashMap<>();

    private record Waiting(Outcome outcome, Duration pause, long dueNanos) {}

    /** Keeps an outcome for later: the pause grows each time. */
    void add(Outcome outcome, long now) {
        Execution execution = outcome.execution();
        execution.lockedOut();
        Waiting earlier = waiting.get(execution);
        Duration pause = earlier == null ? FIRST_PAUSE : shorter(earlier.pause().multipliedBy(2), LONGEST_PAUSE);
        waiting.put(execution, new Waiting(outcome, pause, now + pause.toNanos()));
    }

    void remove(Execution execution) {
        waiting.remove(execution);
    }

    boolean contains(Outcome outcome) {
        return waiting.containsKey(outcome.execution());
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    int size() {
        return waiting.size();
    }

    /** Those whose pause is over. */
    List<Outcome> due(long now) {
        return waiting.values().stream()
                .filter(each -> now - each.dueNanos() >= 0)
                .map(Waiting::outcome)
                .toList();
    }

    /** How long until one is due; at most so long. */
    Duration untilNext(long now, Duration most) {
        long next = most.toNanos();
        for (Waiting each : waiting.values()) {
            next = Math.min(next, Math.max(0, each.dueNanos() - now));
        }
        return Duration.ofNanos(next);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
