package io.konduit.queue.store;

import io.konduit.queue.TaskStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Numbers about the queue, each by a statement whose cost does not grow with backlog or history. */
public final class StatisticsRepository {
    /** Up to here waiting, held and failed tasks are counted; above it they are estimated or cut. */
    public static final int CAP = 100_000;

    private final QueueDatabase database;

    public StatisticsRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * Waiting tasks of one queue.
     *
     * @param oldestSeconds how long the oldest due task has been due; null when none is
     */
    public record Waiting(
            String queue, long tasks, @Nullable Double oldestSeconds) {}

    /** Tasks of one queue in one state; {@code holdReason} for HELD ones. */
    public record Live(
            String queue, TaskStatus status, @Nullable String holdReason, long tasks) {}

    /**
     * How recovery does.
     *
     * @param oldestExpiredSeconds how long ago the oldest lease that nobody took back has ended; null when none has
     * @param zombiesAbove live tasks that have lost more workers than the limit
     * @param sinceReaperSeconds how long ago the reaper last succeeded on any node; null when it never has
     */
    public record Recovery(
            @Nullable Double oldestExpiredSeconds,
            long zombiesAbove,
            @Nullable Double sinceReaperSeconds) {}

    /** Exact up to {@link #CAP} tasks in a queue, PostgreSQL's estimate above. */
    public List<Waiting> waiting() {
        List<Waiting> counted = database.control("stats-pending")
                .param("cap", CAP)
                .query((row, number) ->
                        new Waiting(row.getString("queue"), row.getLong("waiting"), number(row, "oldest_seconds")))
                .list();
        if (counted.stream().noneMatch(queue -> queue.tasks() >= CAP)) {
            return counted;
        }
        long others = counted.stream()
                .mapToLong(Waiting::tasks)
                .filter(tasks -> tasks < CAP)
                .sum();
        long cut = counted.stream().filter(queue -> queue.tasks() >= CAP).count();
        long share = Math.max(CAP, (estimate() - others) / cut);
        List<Waiting> estimated = new ArrayList<>();
        for (Waiting queue : counted) {
            estimated.add(queue.tasks() < CAP ? queue : new Waiting(queue.queue(), share, queue.oldestSeconds()));
        }
        return estimated;
    }

    public List<Live> live() {
        return database.control("stats-live")
                .param("cap", CAP)
                .query((row, number) -> new Live(
                        row.getString("queue"),
                        TaskStatus.valueOf(row.getString("status")),
                        row.getString("hold_reason"),
                        row.getLong("tasks")))
                .list();
    }

    /** How many workers have which status. */
    public Map<String, Long> workers() {
        return database
                .control("stats-workers")
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
        return database.control("stats-recovery")
                .param("warnAbove", warnAbove)
                .param("cap", CAP)
                .param("chore", chore)
                .query((row, number) -> new Recovery(
                        number(row, "oldest_expired_seconds"),
                        row.getLong("zombies_above"),
                        number(row, "since_reaper_seconds")))
                .single();
    }

    private long estimate() {
        return database.control("stats-estimate")
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
