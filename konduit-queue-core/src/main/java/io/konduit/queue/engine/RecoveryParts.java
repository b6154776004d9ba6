package io.konduit.queue.engine;

import io.konduit.queue.enqueue.Notifier;
import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.failover.Activity;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.leader.Chore;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.leader.Leadership;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.ReclaimEvents;
import io.konduit.queue.recovery.StaleWorkerMarker;
import io.konduit.queue.recovery.WitnessWatch;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.settings.ChoreSettings;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.settings.WitnessSettings;
import io.konduit.queue.store.ChoreRepository;
import io.konduit.queue.store.HistorySlots;
import io.konduit.queue.store.LeaderLocks;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.RecordedLocks;
import io.konduit.queue.store.RetentionRepository;
import io.konduit.queue.store.WitnessRepository;
import io.konduit.queue.thread.Jitter;
import io.konduit.queue.worker.WorkerIdentity;
import io.konduit.queue.worker.WorkerLifecycle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.LockProvider;

/** The parts that bring back the tasks of lost workers, and the other background chores. */
final class RecoveryParts {
    final Part<ReclaimPolicy> policy;
    final Part<ReclaimRepository> tasks;
    final Part<ReclaimEvents> events;
    final Part<OrphanReclaimer> reclaimer;
    final Part<AbandonedLeaseCleaner> cleaner;
    final Part<LeaderSettings> leaderSettings;
    final Part<RetentionSettings> retention;
    final Part<HistoryPruner> history;
    final Part<ChoreRepository> passes;
    final Part<WitnessWatch> witnessWatch;
    final Part<QueueChores> chores;
    final Part<Leadership> leadership;
    final Part<LeaderOnlyScheduler> scheduler;

    RecoveryParts(
            QueueEngineBuilder given,
            Supplier<OutageGuard> guard,
            InstanceParts instance,
            Supplier<Stream<TaskWakeUp>> wakeUps,
            Supplier<Activity> activity) {
        policy = given.part(ReclaimPolicy.class, () -> given.settings.reclaim());
        tasks = given.part(ReclaimRepository.class, () -> new ReclaimRepository(given.database));
        events = given.part(
                ReclaimEvents.class,
                () -> new ReclaimEvents(actor(given), given.events, given.reclaimMonitor.get(), queues -> given.database
                        .callerTransaction()
                        .afterCommit(() -> wakeUps.get().forEach(wakeUp -> wake(given, wakeUp, queues)))));
        reclaimer = given.part(
                OrphanReclaimer.class,
                () -> new OrphanReclaimer(tasks.get(), policy.get(), guard.get(), events.get(), given.nanoTime));
        cleaner = given.part(
                AbandonedLeaseCleaner.class,
                () -> new AbandonedLeaseCleaner(
                        tasks.get(), policy.get(), given.settings.chores().abandonedThreshold(), events.get()));
        leaderSettings = given.part(LeaderSettings.class, () -> given.settings.leader());
        retention = given.part(RetentionSettings.class, () -> given.settings.retention());
        history = given.part(
                HistoryPruner.class,
                () -> new HistoryPruner(new HistorySlots(given.database), retention.get(), given.nanoTime));
        passes = given.part(ChoreRepository.class, () -> new ChoreRepository(given.database));
        witnessWatch = given.part(
                WitnessWatch.class,
                () -> new WitnessWatch(
                        new WitnessRepository(given.database),
                        reclaimer.get(),
                        guard.get(),
                        new WitnessWatch.Terms(policy.get().batchSize(), actor(given)),
                        given.nanoTime));
        chores = given.part(QueueChores.class, () -> chores(given, instance, activity.get()));
        leadership = given.part(Leadership.class, () -> {
            UUID id = instance.identity.get().id();
            return new Leadership(locks(given, id, activity.get()), settings(given), id, given.events, given.nanoTime);
        });
        scheduler = given.part(LeaderOnlyScheduler.class, () -> {
            List<Chore> all = new ArrayList<>(chores.get().chores());
            given.chores.get().forEach(all::add);
            return new LeaderOnlyScheduler(
                    leadership.get(),
                    passes.get(),
                    all,
                    given.nanoTime,
                    new Jitter(given.random),
                    followsQuietly(given) ? activity.get()::isQuiet : () -> false);
        });
    }

    /** K1: a follower looks often enough to take over from a leader that has died. */
    private LeaderSettings settings(QueueEngineBuilder given) {
        WitnessSettings witness = given.settings.witness();
        return witness.enabled() && given.lockProvider.get() == null
                ? leaderSettings.get().retryingAtLeastEvery(witness.grace().dividedBy(2))
                : leaderSettings.get();
    }

    /** A follower can look less often only if its look tells whether tasks run. */
    private static boolean followsQuietly(QueueEngineBuilder given) {
        return given.settings.witness().enabled() && given.lockProvider.get() == null;
    }

    private static String actor(QueueEngineBuilder given) {
        WorkerIdentity identity = given.identity.get();
        return "reaper@" + (identity == null ? "application" : identity.id());
    }

    /** The queue's own wake-ups are fast; the application's may be slow. */
    private static void wake(QueueEngineBuilder given, TaskWakeUp wakeUp, Set<String> queues) {
        if (wakeUp instanceof WorkerLifecycle || wakeUp instanceof Notifier) {
            // some may be due only after a backoff: whoever looks now also asks for the next
            queues.forEach(queue -> wakeUp.tasksDueIn(queue, Duration.ZERO));
        } else {
            given.applicationThread.execute(() -> wakeUp.tasksDue(queues));
        }
    }

    private QueueChores chores(QueueEngineBuilder given, InstanceParts instance, Activity activity) {
        ChoreSettings settings = given.settings
                .chores()
                .requireStaleAfterTwo(given.settings.instance().heartbeatInterval());
        StaleWorkerMarker marker =
                new StaleWorkerMarker(instance.workers.get(), settings.staleThreshold(), given.events);
        return QueueChores.builder(settings)
                .reaper(reclaimer.get())
                .witness(witnessWatch.get(), given.settings.witness(), activity, given.nanoTime)
                .abandoned(cleaner.get())
                .staleWorkers(marker)
                .retention(history.get(), new RetentionRepository(given.database), retention.get())
                .build();
    }

    private LockProvider locks(QueueEngineBuilder given, UUID worker, Activity activity) {
        LockProvider applications = given.lockProvider.get();
        return applications == null
                ? LeaderLocks.create(given.database, worker, activity::busy)
                : new RecordedLocks(applications, passes.get(), worker);
    }
}
