package io.konduit.queue.enqueue;

/** Told after commit what was enqueued, for metrics. Must be quick and must not throw. */
@FunctionalInterface
public interface EnqueueMonitor {
    /** Watches nothing. */
    EnqueueMonitor NONE = (queue, type, tasks) -> {};

    void enqueued(String queue, String type, int tasks);
}
