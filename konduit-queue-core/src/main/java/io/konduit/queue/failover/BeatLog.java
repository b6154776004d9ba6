package io.konduit.queue.failover;

import java.util.ArrayDeque;
import java.util.OptionalLong;

/** When the database has acknowledged which beat of this worker. */
final class BeatLog {
    private static final int CAPACITY = 1_000;

    private record Beat(long number, long nanos) {}

    private final ArrayDeque<Beat> beats = new ArrayDeque<>();

    /**
     * The database has acknowledged a beat.
     *
     * @return when the oldest beat was acknowledged of which the database knows nothing any more; empty when it knows all
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
