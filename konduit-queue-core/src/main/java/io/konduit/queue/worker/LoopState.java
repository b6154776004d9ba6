package io.konduit.queue.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One of a worker's loops: claiming, extending leases, writing outcomes, a slot.
 *
 * @param alive whether its thread is alive
 * @param sinceStep how long ago its last iteration began; null when it may wait without limit
 * @param stuck whether that is longer than an iteration should ever take
 */
public record LoopState(
        String name, boolean alive, @Nullable Duration sinceStep, boolean stuck) {
    public boolean isWell() {
        return alive && !stuck;
    }
}
