package io.konduit.queue.engine;

import io.konduit.queue.failover.AcknowledgedTasks;
import io.konduit.queue.failover.FailoverEvents;
import io.konduit.queue.failover.FailoverGuard;
import io.konduit.queue.failover.FailoverSettings;
import io.konduit.queue.failover.FailoverWatch;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.settings.FailoverPolicy;
import io.konduit.queue.settings.InstanceSettings;
import io.konduit.queue.store.FailoverRepository;
import io.konduit.queue.worker.ServedQueues;
import java.util.List;

/** The parts that detect outages and lost commits of the database. */
final class FailoverParts {
    final Part<AcknowledgedTasks> acknowledged;
    final Part<FailoverRepository> store;
    final Part<FailoverSettings> settings;
    final Part<FailoverGuard> guard;
    final Part<FailoverWatch> watch;
    final Part<OutageGuard> outageGuard;

    FailoverParts(QueueEngineBuilder given) {
        acknowledged = given.part(AcknowledgedTasks.class, () -> new AcknowledgedTasks(given.nanoTime));
        store = given.part(FailoverRepository.class, () -> new FailoverRepository(given.database));
        settings = given.part(FailoverSettings.class, () -> settings(given));
        guard = given.part(
                FailoverGuard.class,
                () -> new FailoverGuard(
                        store.get(),
                        acknowledged.get(),
                        settings.get(),
                        new FailoverEvents(given.events, given.failoverMonitor.get()),
                        given.nanoTime));
        watch = given.part(
                FailoverWatch.class,
                () -> new FailoverWatch(
                        store.get(), guard.get(), given.settings.instance().heartbeatInterval(), given.nanoTime));
        // shared by the reaper and the heartbeat, so each benefits from what the other detects
        outageGuard = given.part(OutageGuard.class, () -> {
            InstanceSettings instance = given.settings.instance();
            return new OutageGuard(
                    instance.heartbeatInterval(), instance.beats(), given.nanoTime, guard.get()::observed);
        });
    }

    private static FailoverSettings settings(QueueEngineBuilder given) {
        InstanceSettings instance = given.settings.instance();
        FailoverPolicy policy = given.settings.failover();
        boolean pauses = instance.runsTasks() && policy.pauseQueues();
        return new FailoverSettings(
                instance.beats(),
                policy.memory(),
                pauses ? () -> ServedQueues.of(instance.queues(), given.handlers.all()) : List::of);
    }
}
