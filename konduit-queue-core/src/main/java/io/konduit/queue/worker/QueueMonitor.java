package io.konduit.queue.worker;

import io.konduit.queue.store.ClaimedTask;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Told what this worker does, for metrics, on the threads that keep leases: must be quick. One of the application, which
 * may be anything, is told on another thread ({@link #on}).
 */
public interface QueueMonitor {
    /** Watches nothing. */
    QueueMonitor NONE = new QueueMonitor() {};

    default void started(ClaimedTask task) {}

    default void completed(ClaimedTask task, Duration took) {}

    /** @param error the class of the root cause */
    default void retried(ClaimedTask task, Duration took, String error) {}

    /** @param error the class of the root cause */
    default void failed(ClaimedTask task, Duration took, String error) {}

    default void givenBack(ClaimedTask task) {}

    default void leaseLost(ClaimedTask task) {}

    /** Workers that had lost so many tasks to the reaper turned out to be alive. */
    default void falselyReclaimed(int tasks) {}

    /** A run has taken longer than {@code konduit.queue.worker.warn-after}. */
    default void ranLong(ClaimedTask task) {}

    /** A monitor that is told on another thread. */
    static QueueMonitor on(Executor executor, QueueMonitor monitor) {
        return new SafeMonitor(monitor, executor);
    }
}
