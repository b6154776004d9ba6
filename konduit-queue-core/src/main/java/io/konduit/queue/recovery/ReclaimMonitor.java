package io.konduit.queue.recovery;

import io.konduit.queue.store.ReclaimRepository.Reclaimed;

/** Told what the reaper does, for metrics. Must be quick and must not throw. */
public interface ReclaimMonitor {
    /** Watches nothing. */
    ReclaimMonitor NONE = new ReclaimMonitor() {};

    default void reclaimed(Reclaimed task) {}

    default void passSucceeded() {}

    default void passFailed() {}
}
