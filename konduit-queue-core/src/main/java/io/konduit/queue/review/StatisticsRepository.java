package io.konduit.queue.review;

import io.konduit.queue.TaskStatus;
import io.konduit.queue.jdbc.QueueDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Statistics of the queue, each by a statement whose cost does not grow with backlog or history. */
public final class StatisticsRepository {
    /** Waiting, held and failed tasks are counted up to this limit; above it they are estimated or cut off. */
    public static final int CAP = 100_000;

    private final QueueDatabase database;
    private final Function<String, JdbcClient.StatementSpec> statements;

    private StatisticsRepository(QueueDatabase database, Function<String, JdbcClient.StatementSpec> statements) {
        this.database = database;
        this.statements = statements;
    }

    /** For background work, and for measuring the control path itself. */
    public static StatisticsRepository onControlPath(QueueDatabase database) {
        return new StatisticsRepository(database, database::control);
    }

    /** For operator queries: however many run at once, they must not delay lease extensions. */
    public static StatisticsRepository onApplicationPath(QueueDatabase database) {
        return new StatisticsRepository(database, database::application);
    }

    /**
     * Waiting tasks of one queue.
     *
     * @param estimated whether there were too many to count
     * @param oldestSeconds how long the oldest due task has been due; null when none is
     */
    public record Waiting(
            String queue,
            long tasks,
            boolean estimated,
            @Nullable Double oldestSeconds) {}

    /** Tasks of one queue in one state; {@code holdReason} for HELD ones. */
    public record Live(
            String queue, TaskStatus status, @Nullable String holdReason, long tasks) {}

    /**
     * The state of recovery.
     *
     * @param oldestExpiredSeconds the age of the oldest expired lease that was not reclaimed; null when there is none
     * @param zombiesAbove live tasks that have lost more workers than the limit
     * @param sinceReaperSeconds how long ago the reaper last succeeded on any node; null when it never has
     * @param schedulesLateSeconds how late the latest schedule is; null when none is due
     */
    public record Recovery(
            @Nullable Double oldestExpiredSeconds,
            long zombiesAbove,
            @Nullable Double sinceReaperSeconds,
            @Nullable Double schedulesLateSeconds) {}

    /** Exact up to {@link #CAP} tasks in a queue (fewer when there are many queues), PostgreSQL's estimate above. */
    public List<Waiting> waiting() {
        List<Waiting> counted = statements
                .apply("stats-pending")
                .param("cap", CAP)
                .query((row, number) -> new Waiting(
                        row.getString("queue"),
                        row.getLong("waiting"),
                        row.getLong("waiting") >= row.getLong("cap"),
                        number(row, "oldest_seconds")))
                .list();
        long cut = counted.stream().filter(Waiting::estimated).count();
        if (cut == 0) {
            return counted;
        }
        long others = counted.stream()
                .filter(queue -> !queue.estimated())
                .mapToLong(Waiting::tasks)
                .sum();
        long share = (estimate() - others) / cut;
        return counted.stream()
                .map(queue -> queue.estimated()
                        ? new Waiting(queue.queue(), Math.max(queue.tasks(), share), true, queue.oldestSeconds())
                        : queue)
                .toList();
    }

    public List<Live> live() {
        return statements
                .apply("stats-live")
                .param("cap", CAP)
                .query((row, number) -> new Live(
                        row.getString("queue"),
                        TaskStatus.valueOf(row.getString("status")),
                        row.getString("hold_reason"),
                        row.getLong("tasks")))
                .list();
    }

    /**
     * The number of workers in each status; one that has been silent for longer than the threshold is STALE or GONE.
     */
    public Map<String, Long> workers(Duration staleThreshold) {
        return statements
                .apply("stats-workers")
                .param("staleMs", staleThreshold.toMillis())
                .param("goneMs", SilentWorkers.goneAfter(staleThreshold).toMillis())
                .query((row, number) -> Map.entry(row.getString("status"), row.getLong("workers")))
                .list()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /**
     * @param warnAbove the limit of lost workers
     * @param chore the reaper's name in {@code konduit_chore}
     */
    public Recovery recovery(int warnAbove, String chore) {
        return statements
                .apply("stats-recovery")
                .param("warnAbove", warnAbove)
                .param("cap", CAP)
                .param("chore", chore)
                .query((row, number) -> new Recovery(
                        number(row, "oldest_expired_seconds"),
                        row.getLong("zombies_above"),
                        number(row, "since_reaper_seconds"),
                        number(row, "schedules_late_seconds")))
                .single();
    }

    private long estimate() {
        return statements
                .apply("stats-estimate")
                .param("index", database.table("konduit_task_pending"))
                .query(Long.class)
                .optional()
                .orElse(0L);
    }

    private static @Nullable Double number(ResultSet row, String column) throws SQLException {
        double value = row.getDouble(column);
        return row.wasNull() ? null : value;
    }
}
