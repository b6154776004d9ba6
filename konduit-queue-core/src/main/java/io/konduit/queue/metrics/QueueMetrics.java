package io.konduit.queue.metrics;

import io.konduit.queue.HoldReason;
import io.konduit.queue.admin.IncidentClassification;
import io.konduit.queue.enqueue.EnqueueMonitor;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.failover.FailoverMonitor;
import io.konduit.queue.observation.LimitedTags;
import io.konduit.queue.recovery.ReclaimMonitor;
import io.konduit.queue.schedule.ScheduleMonitor;
import io.konduit.queue.settings.PropertyNames;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import io.konduit.queue.worker.QueueMonitor;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Counts what this instance does. Tags are queue, type, outcome and error, all with few values. */
public final class QueueMetrics
        implements QueueMonitor, ReclaimMonitor, EnqueueMonitor, FailoverMonitor, ScheduleMonitor {
    private static final int MAX_ERRORS = 50;
    private static final String COMPLETED = "Tasks completed by this instance";
    private static final String RETRIED = "Attempts that failed and will be repeated";
    private static final String FAILED = "Tasks that failed permanently";
    private static final String GIVEN_BACK = "Tasks given back uncharged";
    private static final String SNOOZED = "Runs that their handler ended with a snooze";
    private static final String LEASES_LOST = "Runs whose lease was lost";
    private static final String LONG_RUNS = "Runs longer than " + PropertyNames.WORKER_WARN_AFTER;
    private static final String RECLAIMED = "reclaimed";
    private static final String NO_ERROR = "none";
    private static final String SKIPPED_OVERLAP = "overlap";
    private static final String DROPPED_MISSED = "missed";

    private record Key(
            String name,
            String queue,
            String type,
            @Nullable String error) {}

    private final MeterRegistry registry;
    private final LimitedTags types = new LimitedTags();
    private final LimitedTags queues = new LimitedTags();
    private final LimitedTags errors = new LimitedTags(MAX_ERRORS);
    private final ConcurrentMap<Key, Counter> counters = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Timer> pickupDelays = new ConcurrentHashMap<>();
    private final Counter falseReclaims;
    private final Counter passesSucceeded;
    private final Counter passesFailed;
    private final Counter wentBack;
    private final Counter lostTasks;

    public QueueMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.falseReclaims = Counter.builder(MeterNames.FALSE_RECLAIMS)
                .description("Late results of workers whose task was reclaimed although they were alive")
                .register(registry);
        this.passesSucceeded = passes("success");
        this.passesFailed = passes("error");
        this.wentBack = Counter.builder(MeterNames.WENT_BACK)
                .description("How often this instance found that the database had lost commits")
                .register(registry);
        this.lostTasks = Counter.builder(MeterNames.LOST_TASKS)
                .description("Tasks of this instance that the database had acknowledged and lost")
                .baseUnit("tasks")
                .register(registry);
    }

    /**
     * Starts the counters of a type that this instance handles at 0. A counter that first appears with its first
     * failure shows no increase.
     */
    public void expect(String queue, String type) {
        counter(MeterNames.COMPLETED, COMPLETED, queue, type);
        counter(MeterNames.RETRIED, RETRIED, queue, type, NO_ERROR);
        counter(MeterNames.FAILED, FAILED, queue, type, NO_ERROR);
        counter(MeterNames.GIVEN_BACK, GIVEN_BACK, queue, type);
        counter(MeterNames.SNOOZED, SNOOZED, queue, type);
        counter(MeterNames.LEASES_LOST, LEASES_LOST, queue, type);
        counter(MeterNames.LONG_RUNS, LONG_RUNS, queue, type);
        reclaims(queue, type, RECLAIMED);
        for (HoldReason reason : HoldReason.values()) {
            reclaims(queue, type, outcome(reason));
        }
    }

    @Override
    public void enqueued(String queue, String type, int tasks) {
        counter(MeterNames.ENQUEUED, "Tasks enqueued by this instance", queue, type)
                .increment(tasks);
    }

    @Override
    public void started(ClaimedTask task) {
        pickupDelays.computeIfAbsent(queues.of(task.queue()), this::pickupDelay).record(task.waited());
    }

    @Override
    public void completed(ClaimedTask task, Duration took) {
        counter(MeterNames.COMPLETED, COMPLETED, task).increment();
    }

    @Override
    public void retried(ClaimedTask task, Duration took, String error) {
        counter(MeterNames.RETRIED, RETRIED, task, error).increment();
    }

    @Override
    public void failed(ClaimedTask task, Duration took, String error) {
        counter(MeterNames.FAILED, FAILED, task, error).increment();
    }

    @Override
    public void givenBack(ClaimedTask task) {
        counter(MeterNames.GIVEN_BACK, GIVEN_BACK, task).increment();
    }

    @Override
    public void snoozed(ClaimedTask task) {
        counter(MeterNames.SNOOZED, SNOOZED, task).increment();
    }

    @Override
    public void leaseLost(ClaimedTask task) {
        counter(MeterNames.LEASES_LOST, LEASES_LOST, task).increment();
    }

    @Override
    public void falselyReclaimed(int tasks) {
        falseReclaims.increment(tasks);
    }

    @Override
    public void ranLong(ClaimedTask task) {
        counter(MeterNames.LONG_RUNS, LONG_RUNS, task).increment();
    }

    @Override
    public void reclaimed(Reclaimed task) {
        String outcome = task.holdReason() == null ? RECLAIMED : outcome(task.holdReason());
        reclaims(task.queue(), task.type(), outcome).increment();
        if (task.classification() == IncidentClassification.ABANDONED) {
            counter(MeterNames.ABANDONED, "Tasks taken from workers that made no progress", task.queue(), task.type())
                    .increment();
        }
    }

    /** Starts the counters of a type whose schedule this instance declares at 0. */
    public void expectSchedule(String queue, String type) {
        lateness(queue, type);
        skipped(SKIPPED_OVERLAP, queue, type);
        dropped(DROPPED_MISSED, queue, type);
    }

    @Override
    public void fired(String queue, String type, Duration late) {
        lateness(queue, type).record(late);
    }

    @Override
    public void skipped(String queue, String type) {
        skipped(SKIPPED_OVERLAP, queue, type).increment();
    }

    @Override
    public void dropped(String queue, String type, long times) {
        dropped(DROPPED_MISSED, queue, type).increment(times);
    }

    private Timer lateness(String queue, String type) {
        return Timer.builder(MeterNames.SCHEDULES_LATENESS)
                .description("From the nominal time of a schedule to its firing, by the database's clock")
                .tag("queue", queues.of(queue))
                .tag("type", types.of(type))
                .register(registry);
    }

    private Counter skipped(String reason, String queue, String type) {
        return times(MeterNames.SCHEDULES_SKIPPED, "Nominal times that a schedule skipped", reason, queue, type);
    }

    private Counter dropped(String reason, String queue, String type) {
        return times(
                MeterNames.SCHEDULES_DROPPED,
                "Nominal times that a schedule missed and did not make up",
                reason,
                queue,
                type);
    }

    private Counter times(String name, String description, String reason, String queue, String type) {
        return Counter.builder(name)
                .description(description)
                .tag("queue", queues.of(queue))
                .tag("type", types.of(type))
                .tag("reason", reason)
                .register(registry);
    }

    @Override
    public void passSucceeded() {
        passesSucceeded.increment();
    }

    @Override
    public void passFailed() {
        passesFailed.increment();
    }

    @Override
    public void wentBack(int tasks) {
        wentBack.increment();
        lostTasks.increment(tasks);
    }

    private Counter counter(String name, String description, ClaimedTask task) {
        return counter(name, description, task.queue(), task.type());
    }

    private Counter counter(String name, String description, String queue, String type) {
        return counter(name, description, queue, type, null);
    }

    /** By the class of the root cause, too. */
    private Counter counter(String name, String description, ClaimedTask task, String error) {
        return counter(name, description, task.queue(), task.type(), errors.of(ErrorTexts.simpleType(error)));
    }

    private Counter counter(String name, String description, String queue, String type, @Nullable String error) {
        // tags are created with the counter: creating and comparing them for each task costs more than counting it
        return counters.computeIfAbsent(
                new Key(name, queues.of(queue), types.of(type), error), key -> Counter.builder(key.name())
                        .description(description)
                        .tags(tags(key))
                        .register(registry));
    }

    private static Tags tags(Key key) {
        Tags tags = Tags.of("queue", key.queue(), "type", key.type());
        return key.error() == null ? tags : tags.and("error", key.error());
    }

    private Counter reclaims(String queue, String type, String outcome) {
        return Counter.builder(MeterNames.RECLAIMS)
                .description("Tasks taken from lost workers, by outcome")
                .tag("queue", queues.of(queue))
                .tag("type", types.of(type))
                .tag("outcome", outcome)
                .register(registry);
    }

    private static String outcome(HoldReason reason) {
        return reason.name().toLowerCase(Locale.ROOT);
    }

    private Counter passes(String outcome) {
        return Counter.builder(MeterNames.REAPER_PASSES)
                .description("Passes of the reaper on this instance")
                .tag("outcome", outcome)
                .register(registry);
    }

    private Timer pickupDelay(String queue) {
        return Timer.builder(MeterNames.PICKUP_DELAY)
                .description("From being due to being claimed, by the database's clock")
                .tag("queue", queue)
                .register(registry);
    }
}
