package io.konduit.queue.engine;

import io.konduit.queue.enqueue.Notifier;
import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.failover.Activity;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.WitnessRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.thread.Jitter;
import io.konduit.queue.worker.CallingThreadRunner;
import io.konduit.queue.worker.ChoresPresence;
import io.konduit.queue.worker.LeaseFence;
import io.konduit.queue.worker.RunEnvironment;
import io.konduit.queue.worker.TaskRunner;
import io.konduit.queue.worker.WitnessParts;
import io.konduit.queue.worker.WorkerEvents;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerLifecycle;
import io.konduit.queue.worker.WorkerParts;
import io.konduit.queue.worker.WorkerRegistry;
import io.konduit.queue.worker.WorkerRuntime;
import io.konduit.queue.worker.WorkerStore;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The parts of an instance that sends heartbeats, because it runs tasks or chores. */
final class InstanceParts {
    private final Supplier<Stream<TaskWakeUp>> wakeUps;
    final Part<WorkerSettings> settings;
    final Part<WorkerIdentity> identity;
    final Part<WorkerRepository> workers;
    final Part<WorkerRegistry> registry;
    final Part<IncidentRepository> incidents;
    final Part<LeaseRepository> leases;
    final Part<LeaseFence> fence;
    final Part<TaskRunner> runner;
    final Part<WorkerEvents> events;
    final Part<CallingThreadRunner> callingThreadRunner;
    final Part<WorkerLifecycle> worker;
    final Part<ChoresPresence> presence;

    InstanceParts(
            QueueEngineBuilder given,
            Supplier<OutageGuard> guard,
            Supplier<NotificationChannel> channel,
            Supplier<Stream<TaskWakeUp>> wakeUps,
            Supplier<Activity> activity) {
        this.wakeUps = wakeUps;
        settings = given.part(WorkerSettings.class, () -> given.settings.worker());
        identity = new Part<>(() -> identity(given));
        workers = given.part(WorkerRepository.class, () -> new WorkerRepository(given.database));
        registry = given.part(
                WorkerRegistry.class,
                () -> new WorkerRegistry(workers.get(), identity.get(), guard.get(), given.nanoTime));
        incidents = given.part(IncidentRepository.class, () -> new IncidentRepository(given.database));
        leases = given.part(
                LeaseRepository.class,
                () -> new LeaseRepository(given.database, identity.get().id()));
        fence = given.part(LeaseFence.class, () -> new LeaseFence(given.database, leases.get()));
        runner = given.part(
                TaskRunner.class,
                () -> new TaskRunner(given.handlers, leases.get(), fence.get(), environment(given), given.nanoTime));
        events = given.part(WorkerEvents.class, () -> new WorkerEvents(given.monitor.get(), given.events));
        callingThreadRunner = given.part(
                CallingThreadRunner.class, () -> new CallingThreadRunner(leases.get(), runner.get(), events.get()));
        worker = given.part(
                WorkerLifecycle.class,
                () -> new WorkerLifecycle(new WorkerParts(
                        settings.get(),
                        new WorkerStore(
                                leases.get(),
                                incidents.get(),
                                registry.get(),
                                channel.get(),
                                witness(given),
                                this::tasksDueIn),
                        runner.get(),
                        events.get(),
                        new WorkerRuntime(
                                given.nanoTime, new Jitter(given.random), given.handlerThreads, activity.get()))));
        presence = given.part(
                ChoresPresence.class,
                () -> new ChoresPresence(
                        registry.get(), given.settings.instance().heartbeatInterval()));
    }

    /** Only the queue's own, which do not block: this runs on a thread that others wait for. */
    void tasksDueIn(String queue, Duration delay) {
        wakeUps.get()
                .filter(wakeUp -> wakeUp instanceof WorkerLifecycle || wakeUp instanceof Notifier)
                .forEach(wakeUp -> wakeUp.tasksDueIn(queue, delay));
    }

    private static WitnessParts witness(QueueEngineBuilder given) {
        return new WitnessParts(given.settings.witness(), new WitnessRepository(given.database));
    }

    private static WorkerIdentity identity(QueueEngineBuilder given) {
        WorkerIdentity known = given.identity.get();
        if (known == null) {
            throw new IllegalStateException(
                    "Expected an identity for an instance that runs tasks or chores, but there is none.");
        }
        return known;
    }

    private static RunEnvironment environment(QueueEngineBuilder given) {
        return new RunEnvironment(
                given.converter.get(),
                given.retryPolicy.get(),
                given.errors.get(),
                given.observations,
                given.transactionManager.get());
    }
}
