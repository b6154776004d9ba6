package io.konduit.queue.engine;

import io.konduit.queue.Schedules;
import io.konduit.queue.leader.LeadershipState;
import io.konduit.queue.retention.RowPruner;
import io.konduit.queue.schedule.DatabaseSchedules;
import io.konduit.queue.schedule.DeclaredSchedules;
import io.konduit.queue.schedule.ScheduleChecker;
import io.konduit.queue.schedule.ScheduleClock;
import io.konduit.queue.schedule.ScheduleFirer;
import io.konduit.queue.schedule.ScheduleUpkeep;
import io.konduit.queue.settings.InstanceSettings;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.store.RetentionRepository;
import io.konduit.queue.store.RetentionRepository.Kind;
import io.konduit.queue.store.ScheduleRepository;
import io.konduit.queue.worker.ScheduleHints;

/** The parts that make the tasks of schedules. */
final class ScheduleParts {
    final Part<ScheduleRepository> store;
    final Part<ScheduleChecker> checker;
    final Part<DeclaredSchedules> declared;
    final Part<Schedules> schedules;
    final Part<ScheduleFirer> firer;
    final Part<ScheduleUpkeep> upkeep;
    final Part<ScheduleClock> clock;

    ScheduleParts(QueueEngineBuilder given, EnqueueParts enqueue, InstanceParts instance, RecoveryParts recovery) {
        store = given.part(ScheduleRepository.class, () -> new ScheduleRepository(given.database));
        checker = new Part<>(() -> new ScheduleChecker(
                enqueue.checker.get(), given.handlers, given.settings.instance().runsTasks()));
        declared = new Part<>(() -> new DeclaredSchedules(given.handlers, checker, store.get()));
        schedules = given.part(
                Schedules.class,
                () -> new DatabaseSchedules(
                        store.get(), checker.get(), enqueue.messages.get(), enqueue.afterCommit.get()));
        firer = given.part(
                ScheduleFirer.class,
                () -> new ScheduleFirer(
                        store.get(),
                        given.settings.schedules().maxCatchUp(),
                        actor(instance),
                        given.scheduleMonitor.get(),
                        given.enqueueMonitor.get(),
                        recovery.events.get().wakeUp()));
        upkeep = new Part<>(() -> {
            RetentionSettings retention = recovery.retention.get();
            return new ScheduleUpkeep(
                    store.get(),
                    new ScheduleUpkeep.Terms(
                            given.settings.chores().staleThreshold(),
                            given.settings.schedules().undeclaredAfter(),
                            retention.interval(),
                            actor(instance)),
                    RowPruner.of(new RetentionRepository(given.database), Kind.FIRINGS, retention),
                    given.nanoTime);
        });
        clock = given.part(ScheduleClock.class, () -> clock(given, instance, recovery));
    }

    private ScheduleClock clock(QueueEngineBuilder given, InstanceParts instance, RecoveryParts recovery) {
        InstanceSettings runs = given.settings.instance();
        ScheduleClock made = new ScheduleClock(
                new ScheduleClock.Parts(
                        store.get(),
                        declared.get(),
                        firer,
                        upkeep,
                        () -> runs.runsChores() ? recovery.scheduler.get().state() : LeadershipState.NOT_LEADER,
                        runs.runsTasks(),
                        runs.runsChores()),
                given.nanoTime);
        ScheduleHints hints = instance.registry.get().schedules();
        hints.declaring(declared.get()::names);
        hints.listener(made);
        return made;
    }

    private static String actor(InstanceParts instance) {
        return "schedules@" + instance.identity.get().id();
    }
}
