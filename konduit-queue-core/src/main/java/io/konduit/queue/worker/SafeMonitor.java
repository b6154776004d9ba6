package io.konduit.queue.worker;

import io.konduit.queue.store.ClaimedTask;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a monitor's errors away from the worker, whose loops must not end because of them. */
final class SafeMonitor implements QueueMonitor {
    private static final Logger log = LoggerFactory.getLogger(SafeMonitor.class);

    private final QueueMonitor monitor;
    private final Executor executor;

    SafeMonitor(QueueMonitor monitor) {
        this(monitor, Runnable::run);
    }

    SafeMonitor(QueueMonitor monitor, Executor executor) {
        this.monitor = monitor;
        this.executor = executor;
    }

    @Override
    public void started(ClaimedTask task) {
        tell(() -> monitor.started(task));
    }

    @Override
    public void completed(ClaimedTask task, Duration took) {
        tell(() -> monitor.completed(task, took));
    }

    @Override
    public void retried(ClaimedTask task, Duration took, String error) {
        tell(() -> monitor.retried(task, took, error));
    }

    @Override
    public void failed(ClaimedTask task, Duration took, String error) {
        tell(() -> monitor.failed(task, took, error));
    }

    @Override
    public void givenBack(ClaimedTask task) {
        tell(() -> monitor.givenBack(task));
    }

    @Override
    public void snoozed(ClaimedTask task) {
        tell(() -> monitor.snoozed(task));
    }

    @Override
    public void leaseLost(ClaimedTask task) {
        tell(() -> monitor.leaseLost(task));
    }

    @Override
    public void falselyReclaimed(int tasks) {
        tell(() -> monitor.falselyReclaimed(tasks));
    }

    @Override
    public void ranLong(ClaimedTask task) {
        tell(() -> monitor.ranLong(task));
    }

    private void tell(Runnable event) {
        executor.execute(() -> tellNow(event));
    }

    private static void tellNow(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException | Error e) {
            log.warn(
                    "A monitor of the queue failed with {}; the queue continues",
                    e.getClass().getName());
        }
    }
}
