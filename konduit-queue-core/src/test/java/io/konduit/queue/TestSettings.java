package io.konduit.queue;

import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.FailoverPolicy;
import io.konduit.queue.settings.InstanceSettings;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.settings.WitnessSettings;
import io.konduit.queue.settings.WorkerSettings;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** The settings of a queue under test: the defaults of the properties, but for what a test changes. */
public record TestSettings(
        WorkerSettings worker,
        ReclaimPolicy reclaim,
        ChoreSettings chores,
        LeaderSettings leader,
        FailoverPolicy failover,
        WitnessSettings witness)
        implements QueueSettings {

    public static TestSettings defaults() {
        return new TestSettings(
                WorkerSettings.defaults(),
                ReclaimPolicy.defaults(),
                ChoreSettings.defaults(),
                LeaderSettings.defaults(),
                FailoverPolicy.defaults(),
                WitnessSettings.defaults());
    }

    /** A worker that polls often, so that tests need not wait. */
    public static TestSettings quick() {
        return defaults()
                .worker(With.all(
                        With.concurrency(4),
                        With.pollInterval(Duration.ofMillis(50)),
                        With.drainTimeout(Duration.ofSeconds(5)),
                        With.notListening()));
    }

    /** It works, runs the chores, and beats as its worker does. */
    @Override
    public InstanceSettings instance() {
        return new InstanceSettings(true, true, worker.queues(), worker.heartbeatInterval());
    }

    public TestSettings worker(UnaryOperator<WorkerSettings> change) {
        return new TestSettings(change.apply(worker), reclaim, chores, leader, failover, witness);
    }

    public TestSettings reclaim(ReclaimPolicy policy) {
        return new TestSettings(worker, policy, chores, leader, failover, witness);
    }

    public TestSettings chores(ChoreSettings settings) {
        return new TestSettings(worker, reclaim, settings, leader, failover, witness);
    }

    public TestSettings leader(LeaderSettings settings) {
        return new TestSettings(worker, reclaim, chores, settings, failover, witness);
    }

    public TestSettings failover(FailoverPolicy policy) {
        return new TestSettings(worker, reclaim, chores, leader, policy, witness);
    }

    public TestSettings witness(WitnessSettings settings) {
        return new TestSettings(worker, reclaim, chores, leader, failover, settings);
    }
}
