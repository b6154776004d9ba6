package io.konduit.queue.engine;

import io.konduit.queue.Schedules;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.enqueue.Notifier;
import io.konduit.queue.failover.AcknowledgedTasks;
import io.konduit.queue.failover.Activity;
import io.konduit.queue.failover.FailoverGuard;
import io.konduit.queue.failover.FailoverSettings;
import io.konduit.queue.failover.FailoverWatch;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.insert.TaskInserts;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.recovery.AbandonedLeaseCleaner;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.ReclaimEvents;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.schedule.DeclaredSchedules;
import io.konduit.queue.schedule.ScheduleClock;
import io.konduit.queue.schedule.ScheduleFirer;
import io.konduit.queue.settings.InstanceSettings;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.settings.QueueSettings;
import io.konduit.queue.settings.ReclaimPolicy;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.ChoreRepository;
import io.konduit.queue.store.ControlMessages;
import io.konduit.queue.store.FailoverRepository;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.ScheduleRepository;
import io.konduit.queue.store.TaskRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.worker.CallingThreadRunner;
import io.konduit.queue.worker.ChoresPresence;
import io.konduit.queue.worker.KnownHandlers;
import io.konduit.queue.worker.LeaseFence;
import io.konduit.queue.worker.WorkerLifecycle;
import io.konduit.queue.worker.WorkerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/**
 * Composes the queue: the only class that knows which part needs which. Each part is created once, on first use;
 * creating it starts no thread and sends no statement. An instance that only enqueues never creates a worker.
 *
 * <p>{@link #start} and {@link #stop} are for callers without a Spring context. Otherwise each part with a lifecycle is
 * a bean, and the context starts and stops it.
 */
public final class QueueEngine {
    private final QueueEngineBuilder given;
    private final FailoverParts failover;
    private final EnqueueParts enqueue;
    private final InstanceParts instance;
    private final RecoveryParts recovery;
    private final ScheduleParts schedule;

    QueueEngine(QueueEngineBuilder given) {
        this.given = given;
        this.failover = new FailoverParts(given);
        this.enqueue = new EnqueueParts(given, failover, () -> worker(), () -> scheduleClock());
        Part<Activity> activity = given.part(Activity.class, () -> new Activity(given.nanoTime));
        this.instance = new InstanceParts(given, failover.outageGuard, enqueue.channel, enqueue.wakeUps, activity);
        this.recovery = new RecoveryParts(given, failover.outageGuard, instance, enqueue.wakeUps, activity);
        this.schedule = new ScheduleParts(given, enqueue, instance, recovery);
    }

    /** The tables must exist when a part is used, not before. */
    public static QueueEngineBuilder builder(
            QueueDatabase database, QueueSettings settings, JobHandlerRegistry handlers) {
        return new QueueEngineBuilder(database, settings, handlers);
    }

    /** Starts what this instance runs, in the order of the phases. */
    public void start() {
        lifecycles().forEach(SmartLifecycle::start);
    }

    /** Stops it in the opposite order. */
    public void stop() {
        List<SmartLifecycle> all = lifecycles();
        for (int i = all.size() - 1; i >= 0; i--) {
            all.get(i).stop();
        }
    }

    private List<SmartLifecycle> lifecycles() {
        InstanceSettings runs = given.settings.instance();
        List<SmartLifecycle> all = new ArrayList<>();
        if (runs.runsTasks()) {
            all.add(worker());
        } else if (runs.runsChores()) {
            all.add(presence());
        }
        if (runs.runsChores()) {
            all.add(scheduler());
        }
        if (runs.runsTasks() || runs.runsChores()) {
            all.add(scheduleClock());
        }
        if (workerSettings().listen()) {
            all.add(notifier());
        }
        all.sort(Comparator.comparingInt(SmartLifecycle::getPhase));
        return all;
    }

    public QueueDatabase database() {
        return given.database;
    }

    /** After the caller's commit, tells the queue's own wake-ups that a task becomes due after this time. */
    public void tasksDueIn(String queue, Duration delay) {
        given.database.callerTransaction().afterCommit(() -> instance.tasksDueIn(queue, delay));
    }

    public TaskQueue taskQueue() {
        return enqueue.queue.get();
    }

    public Schedules schedules() {
        return schedule.schedules.get();
    }

    public ScheduleRepository scheduleStore() {
        return schedule.store.get();
    }

    /** What the handlers declare now. */
    public DeclaredSchedules declaredSchedules() {
        return schedule.declared.get();
    }

    public ScheduleFirer scheduleFirer() {
        return schedule.firer.get();
    }

    /** Its alarm hears what this instance's heartbeats say. */
    public ScheduleClock scheduleClock() {
        return schedule.clock.get();
    }

    public TaskInserts inserts() {
        return enqueue.inserts.get();
    }

    public TaskRepository tasks() {
        return enqueue.tasks.get();
    }

    public ControlMessages controlMessages() {
        return enqueue.messages.get();
    }

    public NotificationChannel channel() {
        return enqueue.channel.get();
    }

    public Notifier notifier() {
        return enqueue.notifier.get();
    }

    public AcknowledgedTasks acknowledged() {
        return failover.acknowledged.get();
    }

    public FailoverRepository failoverStore() {
        return failover.store.get();
    }

    public FailoverSettings failoverSettings() {
        return failover.settings.get();
    }

    public FailoverGuard failoverGuard() {
        return failover.guard.get();
    }

    public FailoverWatch failoverWatch() {
        return failover.watch.get();
    }

    public OutageGuard outageGuard() {
        return failover.outageGuard.get();
    }

    public WorkerSettings workerSettings() {
        return instance.settings.get();
    }

    public WorkerRepository workers() {
        return instance.workers.get();
    }

    public WorkerRegistry registry() {
        return instance.registry.get();
    }

    public IncidentRepository incidents() {
        return instance.incidents.get();
    }

    public LeaseRepository leases() {
        return instance.leases.get();
    }

    public LeaseFence fence() {
        return instance.fence.get();
    }

    /** What handlers declare now. Later calls may return more. */
    public KnownHandlers knownHandlers() {
        return new KnownHandlers(given.handlers);
    }

    public CallingThreadRunner callingThreadRunner() {
        return instance.callingThreadRunner.get();
    }

    public WorkerLifecycle worker() {
        return instance.worker.get();
    }

    public ChoresPresence presence() {
        return instance.presence.get();
    }

    public ReclaimPolicy reclaimPolicy() {
        return recovery.policy.get();
    }

    public ReclaimRepository reclaims() {
        return recovery.tasks.get();
    }

    public ReclaimEvents reclaimEvents() {
        return recovery.events.get();
    }

    public OrphanReclaimer reclaimer() {
        return recovery.reclaimer.get();
    }

    public AbandonedLeaseCleaner cleaner() {
        return recovery.cleaner.get();
    }

    public LeaderSettings leaderSettings() {
        return recovery.leaderSettings.get();
    }

    public RetentionSettings retentionSettings() {
        return recovery.retention.get();
    }

    public HistoryPruner historyPruner() {
        return recovery.history.get();
    }

    public ChoreRepository chorePasses() {
        return recovery.passes.get();
    }

    public QueueChores chores() {
        return recovery.chores.get();
    }

    public LeaderOnlyScheduler scheduler() {
        return recovery.scheduler.get();
    }
}
