package io.konduit.queue.failover;

import java.util.ArrayDeque;
import java.util.OptionalLong;

/** When the database acknowledged each heartbeat of this worker. */
final class BeatLog {
    private static final int CAPACITY = 1_000;

    private record Beat(long number, long nanos) {}

    private final ArrayDeque<Beat> beats = new ArrayDeque<>();

    /**
     * The database has acknowledged a heartbeat.
     *
     * @return when the oldest heartbeat was acknowledged that the database has lost; empty when it has lost none
     */
    OptionalLong acknowledged(long number, long nanos) {
        OptionalLong oldestLost = OptionalLong.empty();
        while (!beats.isEmpty() && beats.getLast().number() >= number) {
            oldestLost = OptionalLong.of(beats.removeLast().nanos());
        }
        beats.addLast(new Beat(number, nanos));
        if (beats.size() > CAPACITY) {
            beats.removeFirst();
        }
        return oldestLost;
    }
}
