package io.konduit.queue.metrics;

import io.konduit.queue.TaskStatus;
import io.konduit.queue.recovery.ReaperChore;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.review.StatisticsRepository;
import io.konduit.queue.review.StatisticsRepository.Live;
import io.konduit.queue.review.StatisticsRepository.Recovery;
import io.konduit.queue.review.StatisticsRepository.Waiting;
import io.konduit.queue.settings.PropertyNames;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The state of the queue as gauges. Only the leader reads it, at most every fifteen seconds, and only while somebody
 * reads the gauges; on other instances the gauges have no value, so that a sum over instances counts nothing twice.
 */
public final class QueueGauges {
    /** How often the leader reads the state. */
    public static final Duration INTERVAL = Duration.ofSeconds(15);

    private static final long LIFE_NANOS = INTERVAL.multipliedBy(4).toNanos();
    /** Longer than the interval of any usual collector. */
    private static final long INTEREST_NANOS = Duration.ofMinutes(5).toNanos();

    private final StatisticsRepository statistics;
    private final Limits limits;
    private final BooleanSupplier leads;
    private final LongSupplier nanoTime;
    private final MultiGauge tasks;
    private final MultiGauge held;
    private final MultiGauge oldestPending;
    private final MultiGauge workers;
    private volatile @Nullable Snapshot last;
    private volatile long readNanos;

    /**
     * The limits for what is reported, from {@code konduit.queue.*}.
     *
     * @param warnAbove a task that has lost more workers than this
     * @param staleThreshold a worker that has been silent for longer
     */
    public record Limits(int warnAbove, Duration staleThreshold) {}

    private record Snapshot(Recovery recovery, long takenNanos) {}

    public QueueGauges(
            MeterRegistry registry,
            StatisticsRepository statistics,
            Limits limits,
            BooleanSupplier leads,
            Supplier<HistoryPruner.@Nullable Mode> history,
            LongSupplier nanoTime) {
        this.statistics = statistics;
        this.limits = limits;
        this.leads = leads;
        this.nanoTime = nanoTime;
        // a collector may be about to read for the first time
        this.readNanos = nanoTime.getAsLong();
        this.tasks = multi(registry, MeterNames.TASKS, "Live tasks by queue and status", "tasks");
        this.held = multi(registry, MeterNames.HELD, "Tasks that wait for a person, by reason", "tasks");
        this.oldestPending =
                multi(registry, MeterNames.OLDEST_PENDING, "How long the oldest due task has waited", "seconds");
        this.workers = multi(registry, MeterNames.WORKERS, "Workers by status", "workers");
        // a gauge holds its object weakly: this one lives as long as the application
        Gauge.builder(MeterNames.LEADER, this, QueueGauges::readLeader)
                .description("1 on the instance that runs the background chores")
                .register(registry);
        Gauge.builder(MeterNames.HISTORY_TRUNCATED, this, gauges -> gauges.truncates(history.get()))
                .description("1 if old history is removed by truncate, 0 if by delete")
                .register(registry);
        gauge(
                registry,
                MeterNames.OLDEST_EXPIRED,
                "How long ago the oldest unreclaimed lease expired",
                "seconds",
                recovery -> orZero(recovery.oldestExpiredSeconds()));
        gauge(
                registry,
                MeterNames.REAPER_AGE,
                "How long ago the reaper last succeeded on any instance",
                "seconds",
                recovery -> orNone(recovery.sinceReaperSeconds()));
        gauge(
                registry,
                MeterNames.ZOMBIES_ABOVE,
                "Live tasks that have lost more workers than " + PropertyNames.ZOMBIE_WARN_ABOVE,
                "tasks",
                recovery -> recovery.zombiesAbove());
    }

    private double truncates(HistoryPruner.@Nullable Mode mode) {
        if (mode == null || !leads.getAsBoolean()) {
            return Double.NaN;
        }
        return mode == HistoryPruner.Mode.TRUNCATE ? 1 : 0;
    }

    private double readLeader() {
        readNanos = nanoTime.getAsLong();
        return leads.getAsBoolean() ? 1 : 0;
    }

    /** Reads the state again, unless nobody has read the gauges for a while. */
    public void refreshIfRead() {
        if (nanoTime.getAsLong() - readNanos < INTEREST_NANOS) {
            refresh();
        }
    }

    /** Reads the state again: a fixed number of statements whose cost does not grow with backlog or history. */
    public void refresh() {
        List<Waiting> waiting = statistics.waiting();
        List<Live> live = statistics.live();
        tasks.register(taskRows(waiting, live), true);
        held.register(heldRows(live), true);
        oldestPending.register(
                waiting.stream()
                        .map(queue -> Row.of(Tags.of("queue", queue.queue()), orZero(queue.oldestSeconds())))
                        .toList(),
                true);
        Map<String, Long> byStatus = new TreeMap<>(Map.of("ACTIVE", 0L, "STALE", 0L, "DRAINING", 0L, "GONE", 0L));
        byStatus.putAll(statistics.workers(limits.staleThreshold()));
        workers.register(
                byStatus.entrySet().stream()
                        .map(entry -> Row.of(Tags.of("status", lower(entry.getKey())), entry.getValue()))
                        .toList(),
                true);
        last = new Snapshot(statistics.recovery(limits.warnAbove(), ReaperChore.NAME), nanoTime.getAsLong());
        if (!leads.getAsBoolean()) {
            // leadership was lost during the read: nothing else would clear the state
            clear();
        }
    }

    /** This instance no longer leads: another one reports the state. */
    public void clear() {
        last = null;
        tasks.register(List.of(), true);
        held.register(List.of(), true);
        oldestPending.register(List.of(), true);
        workers.register(List.of(), true);
    }

    private static List<Row<?>> taskRows(List<Waiting> waiting, List<Live> live) {
        List<Row<?>> rows = new ArrayList<>();
        waiting.forEach(queue -> rows.add(Row.of(tags(queue.queue(), TaskStatus.PENDING), queue.tasks())));
        Map<Tags, Long> others = new java.util.HashMap<>();
        live.forEach(group -> others.merge(tags(group.queue(), group.status()), group.tasks(), Long::sum));
        others.forEach((tags, number) -> rows.add(Row.of(tags, number)));
        return rows;
    }

    private static List<Row<?>> heldRows(List<Live> live) {
        List<Row<?>> rows = new ArrayList<>();
        for (Live group : live) {
            if (group.holdReason() != null) {
                rows.add(Row.of(Tags.of("queue", group.queue(), "reason", lower(group.holdReason())), group.tasks()));
            }
        }
        return rows;
    }

    private void gauge(
            MeterRegistry registry, String name, String description, String unit, ToDoubleFunction<Recovery> value) {
        Gauge.builder(name, this, gauges -> gauges.read(value))
                .description(description)
                .baseUnit(unit)
                .register(registry);
    }

    private double read(ToDoubleFunction<Recovery> value) {
        readNanos = nanoTime.getAsLong();
        Snapshot snapshot = last;
        if (snapshot == null || nanoTime.getAsLong() - snapshot.takenNanos() >= LIFE_NANOS) {
            return Double.NaN;
        }
        return value.applyAsDouble(snapshot.recovery());
    }

    private static MultiGauge multi(MeterRegistry registry, String name, String description, String unit) {
        return MultiGauge.builder(name).description(description).baseUnit(unit).register(registry);
    }

    private static Tags tags(String queue, TaskStatus status) {
        return Tags.of("queue", queue, "status", lower(status.name()));
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    private static double orZero(@Nullable Double value) {
        return value == null ? 0 : value;
    }

    private static double orNone(@Nullable Double value) {
        return value == null ? Double.NaN : value;
    }
}
