package io.konduit.queue;

import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * A schedule to {@link Schedules#put put}: when, and which task. Immutable: each method returns a new schedule.
 *
 * <pre>{@code
 * schedules.put(Schedule.of("report-tenant-42", TaskRequest.of("report", new Report(42)))
 *         .cron("0 30 2 * * *").zone("Europe/Berlin"));
 * }</pre>
 */
public final class Schedule {
    private final String name;
    private final TaskRequest task;
    private final @Nullable String cron;
    private final @Nullable String zone;
    private final @Nullable Duration every;
    private final CatchUp catchUp;
    private final Overlap overlap;

    private Schedule(
            String name,
            TaskRequest task,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable Duration every,
            CatchUp catchUp,
            Overlap overlap) {
        this.name = name;
        this.task = task;
        this.cron = cron;
        this.zone = zone;
        this.every = every;
        this.catchUp = catchUp;
        this.overlap = overlap;
    }

    /**
     * A schedule that has no times yet: call {@link #cron} or {@link #every}.
     *
     * @param name unique; another schedule with it is replaced
     * @param task what to enqueue each time; without a start time, delay or unique key
     */
    public static Schedule of(String name, TaskRequest task) {
        return new Schedule(name, task, null, null, null, CatchUp.LATEST, Overlap.SKIP);
    }

    /** As {@link Recurring#cron}. Replaces an interval. */
    public Schedule cron(String expression) {
        return new Schedule(name, task, expression, zone, null, catchUp, overlap);
    }

    /** The time zone of the cron expression, by default that of the JVM that puts the schedule. */
    public Schedule zone(String id) {
        return new Schedule(name, task, cron, id, every, catchUp, overlap);
    }

    /** The time zone of the cron expression, by default that of the JVM that puts the schedule. */
    public Schedule zone(ZoneId id) {
        return zone(id.getId());
    }

    /** A fixed interval of at least a second. The first time is one interval from now. Replaces a cron expression. */
    public Schedule every(Duration interval) {
        return new Schedule(name, task, null, zone, interval, catchUp, overlap);
    }

    /** By default {@link CatchUp#LATEST}. */
    public Schedule catchUp(CatchUp choice) {
        return new Schedule(name, task, cron, zone, every, choice, overlap);
    }

    /** By default {@link Overlap#SKIP}. */
    public Schedule overlap(Overlap choice) {
        return new Schedule(name, task, cron, zone, every, catchUp, choice);
    }

    public String name() {
        return name;
    }

    public TaskRequest task() {
        return task;
    }

    public @Nullable String cron() {
        return cron;
    }

    public @Nullable String zone() {
        return zone;
    }

    public @Nullable Duration every() {
        return every;
    }

    public CatchUp catchUp() {
        return catchUp;
    }

    public Overlap overlap() {
        return overlap;
    }

    /** Without the payload. */
    @Override
    public String toString() {
        return "Schedule[name=" + name + ", " + (every == null ? cron + " in " + zone : "every " + every) + ", " + task
                + "]";
    }
}
