package io.konduit.queue.worker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long a poller rests after wake-ups that brought nothing. Each task wakes every idle worker, and one gets it: the
 * more often a worker comes too late, the longer it leaves wake-ups to others, up to half a second. A worker that gets
 * tasks rests less and less. The first wake-up in vain after a task costs nothing, because a worker hears its own
 * notifications too. Used by one thread.
 */
final class WakeUpPause {
    private static final long FIRST_NANOS = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_NANOS = Duration.ofMillis(500).toNanos();
    private static final int HIGHEST_LEVEL = 7;

    private int level;
    private boolean oneIsFree = true;

    /** A claim brought something. */
    void brought() {
        level = Math.max(0, level - 1);
        oneIsFree = true;
    }

    /** A claim after a wake-up brought nothing; returns how long to rest. */
    long inVain() {
        if (oneIsFree) {
            oneIsFree = false;
            return 0;
        }
        long nanos = Math.min(LONGEST_NANOS, FIRST_NANOS << level);
        level = Math.min(HIGHEST_LEVEL, level + 1);
        return (long) (nanos * (0.75 + 0.25 * ThreadLocalRandom.current().nextDouble()));
    }
}
