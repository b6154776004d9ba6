package io.konduit.queue.worker;

import io.konduit.queue.thread.Jitter;
import java.time.Duration;

/**
 * How long a poller rests after useless wake-ups. Each new task wakes every idle worker, and only one gets it. A worker
 * that repeatedly comes too late rests longer, up to a second, and leaves wake-ups to others. A worker that gets
 * tasks rests less each time. The first useless wake-up after a task costs nothing, because a worker also receives its
 * own notifications. Not thread-safe.
 */
final class WakeUpPause {
    private static final long FIRST_NANOS = Duration.ofMillis(10).toNanos();
    private static final long LONGEST_NANOS = Duration.ofSeconds(1).toNanos();
    private static final int HIGHEST_LEVEL = 7;

    private final Jitter jitter;
    private int level;
    private boolean oneIsFree = true;

    WakeUpPause(Jitter jitter) {
        this.jitter = jitter;
    }

    /** A claim returned tasks. */
    void brought() {
        level = Math.max(0, level - 1);
        oneIsFree = true;
    }

    /** A claim after a wake-up found nothing; returns how long to rest. */
    long inVain() {
        if (oneIsFree) {
            oneIsFree = false;
            return 0;
        }
        long nanos = Math.min(LONGEST_NANOS, FIRST_NANOS << level);
        level = Math.min(HIGHEST_LEVEL, level + 1);
        return jitter.ofNanos(nanos, 0.75);
    }
}
