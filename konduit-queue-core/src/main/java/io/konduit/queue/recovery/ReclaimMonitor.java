package io.konduit.queue.recovery;

import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import java.util.concurrent.Executor;

/**
 * Receives what the reaper does, for metrics, on its thread: it must be fast and must not throw. A monitor of the
 * application may be slow, so it is called on another thread ({@link #on}).
 */
public interface ReclaimMonitor {
    /** Does nothing. */
    ReclaimMonitor NONE = new ReclaimMonitor() {};

    default void reclaimed(Reclaimed task) {}

    default void passSucceeded() {}

    default void passFailed() {}

    /** A monitor that is called on another thread. */
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
