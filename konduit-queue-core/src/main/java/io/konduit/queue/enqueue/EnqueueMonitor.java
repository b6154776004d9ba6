package io.konduit.queue.enqueue;

/** Receives the enqueued tasks after the commit, for metrics. Must be fast and must not throw. */
@FunctionalInterface
public interface EnqueueMonitor {
    /** Does nothing. */
    EnqueueMonitor NONE = (queue, type, tasks) -> {};

    void enqueued(String queue, String type, int tasks);
}
