package io.konduit.queue.worker;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Outcomes whose rows are locked by another transaction. Each is retried apart from all others, with a growing delay.
 * Used by the completer's thread only.
 */
final class LockedOutcomes {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final Map<RunningTask, Waiting> waiting = new LinkedHashMap<>();

    private record Waiting(Outcome outcome, Duration pause, long dueNanos) {}

    /** Keeps an outcome for a later retry; its delay grows each time. */
    void add(Outcome outcome, long now) {
        RunningTask run = outcome.run();
        run.lockedOut();
        Waiting earlier = waiting.get(run);
        Duration pause = earlier == null ? FIRST_PAUSE : shorter(earlier.pause().multipliedBy(2), LONGEST_PAUSE);
        waiting.put(run, new Waiting(outcome, pause, now + pause.toNanos()));
    }

    void remove(RunningTask run) {
        if (!waiting.isEmpty()) {
            waiting.remove(run);
        }
    }

    boolean contains(Outcome outcome) {
        return waiting.containsKey(outcome.run());
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    int size() {
        return waiting.size();
    }

    /** Outcomes whose delay is over. */
    List<Outcome> due(long now) {
        return waiting.values().stream()
                .filter(each -> now - each.dueNanos() >= 0)
                .map(Waiting::outcome)
                .toList();
    }

    /** How long until the next one is due, up to {@code limit}. */
    Duration untilNext(long now, Duration limit) {
        long next = limit.toNanos();
        for (Waiting each : waiting.values()) {
            next = Math.min(next, Math.max(0, each.dueNanos() - now));
        }
        return Duration.ofNanos(next);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
