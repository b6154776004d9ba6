package io.konduit.queue.failover;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * How this instance watches for lost commits.
 *
 * @param beating whether this instance has a worker or runs chores, so that its heartbeats reveal a loss
 * @param memory how long ago a task may have been acknowledged and still be checked; less than retention keeps tasks
 * @param queuesToPause the queues to pause until an operator resumes them; empty when nothing is to be paused.
 *     Evaluated when needed: handlers declare queues
 * @param checks runs the checks after a failover: not on a thread that extends leases
 */
public record FailoverSettings(
        boolean beating, Duration memory, Supplier<List<String>> queuesToPause, Executor checks) {

    public FailoverSettings(boolean beating, Duration memory, Supplier<List<String>> queuesToPause) {
        this(beating, memory, queuesToPause, FailoverSettings::onOwnThread);
    }

    /** A new thread for each check: checks are rare. */
    private static void onOwnThread(Runnable check) {
        Thread thread = new Thread(check, "konduit-failover-check");
        thread.setDaemon(true);
        thread.start();
    }
}
