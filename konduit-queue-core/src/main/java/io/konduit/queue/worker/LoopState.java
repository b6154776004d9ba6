package io.konduit.queue.worker;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One of a worker's loops: claiming, extending leases, writing outcomes, a slot.
 *
 * @param alive whether its thread is there
 * @param sinceStep how long ago it last went around; null when it may wait for as long as it likes
 * @param stuck whether that is longer than it should ever take
 */
public record LoopState(
        String name, boolean alive, @Nullable Duration sinceStep, boolean stuck) {
    public boolean isWell() {
        return alive && !stuck;
    }
}
