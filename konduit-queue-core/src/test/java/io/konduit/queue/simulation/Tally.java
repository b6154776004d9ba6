package io.konduit.queue.simulation;

import java.util.Map;
import java.util.TreeMap;

/** What happened, and how often. */
final class Tally {
    private final Map<String, Long> counts = new TreeMap<>();

    void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }

    long of(String what) {
        return counts.getOrDefault(what, 0L);
    }

    void addAll(Tally other) {
        other.counts.forEach((what, count) -> counts.merge(what, count, Long::sum));
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
