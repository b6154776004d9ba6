package io.konduit.queue.simulation;

import java.util.Map;
import java.util.TreeMap;

/** What happened, and how often. */
final class Tally {
    private static final String LINE = "HAPPENED ";

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

    /** One line for each, which {@link #read} understands. */
    String lines() {
        StringBuilder lines = new StringBuilder();
        counts.forEach((what, count) ->
                lines.append(LINE).append(count).append(' ').append(what).append('\n'));
        return lines.toString();
    }

    /** Adds what a line of another JVM says; ignores any other line. */
    void read(String line) {
        if (line.startsWith(LINE)) {
            String[] parts = line.substring(LINE.length()).split(" ", 2);
            counts.merge(parts[1], Long.parseLong(parts[0]), Long::sum);
        }
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
