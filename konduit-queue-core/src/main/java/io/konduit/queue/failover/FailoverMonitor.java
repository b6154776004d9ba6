package io.konduit.queue.failover;

/** Told of lost commits, for metrics. Must be quick and must not throw. */
@FunctionalInterface
public interface FailoverMonitor {
    /** Watches nothing. */
    FailoverMonitor NONE = lostTasks -> {};

    /** The database has lost commits, and with them this many tasks that this instance had enqueued. */
    void wentBack(int lostTasks);
}
