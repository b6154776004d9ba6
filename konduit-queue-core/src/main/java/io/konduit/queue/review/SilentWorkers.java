package io.konduit.queue.review;

import java.time.Duration;

/**
 * When a worker without tasks that was not replaced counts as GONE: after being STALE long enough to alert an operator.
 */
final class SilentWorkers {
    private static final int THRESHOLDS = 15;

    private SilentWorkers() {}

    static Duration goneAfter(Duration staleThreshold) {
        return staleThreshold.multipliedBy(THRESHOLDS);
    }
}
