package io.konduit.queue.recovery;

import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import java.util.concurrent.Executor;

/**
 * Told what the reaper does, for metrics, on its thread: must be quick and must not throw. One of the application, which
 * may be anything, is told on another thread ({@link #on}).
 */
public interface ReclaimMonitor {
    /** Watches nothing. */
    ReclaimMonitor NONE = new ReclaimMonitor() {};

    default void reclaimed(Reclaimed task) {}

    default void passSucceeded() {}

    default void passFailed() {}

    /** A monitor that is told on another thread. */
    static ReclaimMonitor on(Executor executor, ReclaimMonitor monitor) {
        return new ReclaimMonitor() {
            @Override
            public void reclaimed(Reclaimed task) {
                executor.execute(() -> monitor.reclaimed(task));
            }

            @Override
            public void passSucceeded() {
                executor.execute(monitor::passSucceeded);
            }

            @Override
            public void passFailed() {
                executor.execute(monitor::passFailed);
            }
        };
    }
}
