package io.konduit.queue.worker;

import io.konduit.queue.store.ClaimedTask;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * Receives what this worker does, for metrics, on the threads that extend leases: it must be fast. A monitor of the
 * application may be slow, so it is called on another thread ({@link #on}).
 */
public interface QueueMonitor {
    /** Does nothing. */
    QueueMonitor NONE = new QueueMonitor() {};

    default void started(ClaimedTask task) {}

    default void completed(ClaimedTask task, Duration took) {}

    /** @param error the class of the root cause */
    default void retried(ClaimedTask task, Duration took, String error) {}

    /** @param error the class of the root cause */
    default void failed(ClaimedTask task, Duration took, String error) {}

    default void givenBack(ClaimedTask task) {}

    default void snoozed(ClaimedTask task) {}

    default void leaseLost(ClaimedTask task) {}

    /** The reaper had taken this many tasks from workers that turned out to be alive. */
    default void falselyReclaimed(int tasks) {}

    /** A run has taken longer than {@code konduit.queue.worker.warn-after}. */
    default void ranLong(ClaimedTask task) {}

    /** A monitor that is called on another thread. */
    static QueueMonitor on(Executor executor, QueueMonitor monitor) {
        return new SafeMonitor(monitor, executor);
    }
}
