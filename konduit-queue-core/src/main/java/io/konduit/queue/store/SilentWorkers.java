package io.konduit.queue.store;

import java.time.Duration;

/** When a worker that holds no task and was not replaced counts as GONE: STALE long enough for a person to be told. */
final class SilentWorkers {
    private static final int THRESHOLDS = 15;

    private SilentWorkers() {}

    static Duration goneAfter(Duration staleThreshold) {
        return staleThreshold.multipliedBy(THRESHOLDS);
    }
}
