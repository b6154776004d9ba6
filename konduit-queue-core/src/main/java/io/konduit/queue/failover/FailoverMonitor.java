package io.konduit.queue.failover;

/** Receives lost commits, for metrics. Must be fast and must not throw. */
@FunctionalInterface
public interface FailoverMonitor {
    /** Does nothing. */
    FailoverMonitor NONE = lostTasks -> {};

    /** The database has lost commits, and with them this many tasks that this instance had enqueued. */
    void wentBack(int lostTasks);
}
