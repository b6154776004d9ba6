package io.konduit.queue.autoconfigure.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * How many tasks waited whenever somebody looked, for an hour. Nobody looks, nothing is read; and no statement could tell how many
 * tasks waited half an hour ago without reading all that has passed through since.
 */
final class BacklogSamples {
    private static final Duration KEPT = Duration.ofHours(1);
    private static final Duration APART = Duration.ofSeconds(10);

    private final Deque<Sample> samples = new ArrayDeque<>();

    record Sample(Instant at, long waiting) {}

    synchronized void add(Instant at, long waiting) {
        Sample last = samples.peekLast();
        if (last == null || !at.isBefore(last.at().plus(APART))) {
            samples.addLast(new Sample(at, waiting));
        }
        removeBefore(at.minus(KEPT));
    }

    synchronized List<Sample> lastHour(Instant now) {
        removeBefore(now.minus(KEPT));
        return List.copyOf(samples);
    }

    private void removeBefore(Instant oldest) {
        while (!samples.isEmpty() && samples.peekFirst().at().isBefore(oldest)) {
            samples.removeFirst();
        }
    }
}
