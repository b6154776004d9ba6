package io.konduit.queue.store;

import io.konduit.queue.Incident;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.store.PauseRepository.PausedQueue;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What people ask about queues, workers and single tasks. Every question is one statement of bounded cost. */
public final class InspectionRepository {
    private final QueueDatabase database;
    private final Duration staleThreshold;
    private final ErrorRepository errors;

    /** @param staleThreshold a worker that has been silent for longer is STALE */
    public InspectionRepository(QueueDatabase database, Duration staleThreshold) {
        this.database = database;
        this.staleThreshold = staleThreshold;
        this.errors = new ErrorRepository(database);
    }

    /**
     * A worker as it registered, and when it was last heard of.
     *
     * @param running how many tasks it holds
     * @param drainingSince when somebody told it to claim nothing more
     */
    public record Worker(
            UUID id,
            String name,
            String host,
            long pid,
            String version,
            @Nullable String applicationVersion,
            List<String> queues,
            int concurrency,
            String status,
            Instant startedAt,
            Instant lastBeatAt,
            double silentSeconds,
            long running,
            @Nullable Instant drainingSince,
            @Nullable String drainingBy) {}

    /**
     * Who runs the background chores.
     *
     * @param leader the holder of the lock; null when nobody holds it
     * @param lastReaper who ran the last pass of the reaper
     */
    public record Leader(
            Instant moment,
            @Nullable String leader,
            @Nullable UUID lastReaper) {}

    /**
     * A task and what decides whether it runs.
     *
     * @param paused set when its queue is paused
     * @param ownerName set when its owner is registered
     * @param servingWorkers active workers that serve its queue, with so many slots and so many of them busy
     */
    public record Circumstances(
            Task task,
            Instant moment,
            @Nullable PausedQueue paused,
            @Nullable String ownerName,
            @Nullable String ownerHost,
            @Nullable String ownerStatus,
            int servingWorkers,
            int servingSlots,
            int servingBusy) {}

    /** How many incidents of one kind there were, and what became of their tasks. */
    public record IncidentCount(
            String type,
            String classification,
            String action,
            long incidents,
            long completed,
            long failed,
            long cancelled,
            long open,
            long workerWasAlive) {}

    public List<Worker> workers(int most) {
        return database.application("list-workers")
                .param("staleMs", staleThreshold.toMillis())
                .param("goneMs", SilentWorkers.goneAfter(staleThreshold).toMillis())
                .param("most", most)
                .query(InspectionRepository::worker)
                .list();
    }

    public Leader leader(String lock, String chore) {
        return database.application("find-leader")
                .param("lock", lock)
                .param("record", RecordedLocks.NAME)
                .param("chore", chore)
                .query((row, number) -> new Leader(
                        row.getTimestamp("moment").toInstant(),
                        row.getString("leader"),
                        row.getObject("last_reaper", UUID.class)))
                .single();
    }

    public Optional<Circumstances> circumstances(TaskId id) {
        return database.application("find-story")
                .param("staleMs", staleThreshold.toMillis())
                .param("id", id.value())
                .query(InspectionRepository::circumstances)
                .optional();
    }

    /** The incidents of the last {@code period} by kind; the newest {@code cap} of them. */
    public List<IncidentCount> countIncidents(Duration period, int cap) {
        return database.application("sum-incidents")
                .param("periodMs", period.toMillis())
                .param("cap", cap)
                .query((row, number) -> new IncidentCount(
                        row.getString("type"),
                        row.getString("classification"),
                        row.getString("action"),
                        row.getLong("incidents"),
                        row.getLong("completed"),
                        row.getLong("failed"),
                        row.getLong("cancelled"),
                        row.getLong("open"),
                        row.getLong("worker_was_alive")))
                .list();
    }

    /** The evidence of the last {@code period}, newest first, before {@code before}. */
    public List<Incident> incidents(Duration period, Cursor before, int most) {
        return database.application("page-incidents")
                .param("periodMs", period.toMillis())
                .param("beforeTime", before.time())
                .param("beforeId", before.id())
                .param("most", most)
                .query(AdministrationRepository::incident)
                .list();
    }

    /** Live tasks that have lost more than so many workers, most first. */
    public List<Task> zombies(int above, int most) {
        return errors.withLastErrors(database.application("list-zombie-tasks")
                .param("above", above)
                .param("most", most)
                .query(TaskColumns::task)
                .list());
    }

    /** What would be taken back now, oldest first. */
    public List<Orphan> orphans(Duration grace, int quarantineAfter, int most) {
        return database.application("list-orphans")
                .param("graceMs", grace.toMillis())
                .param("quarantineAfter", quarantineAfter)
                .param("most", most)
                .query(InspectionRepository::orphan)
                .list();
    }

    /** Running tasks without progress for that long, by id. */
    public List<Orphan> abandoned(Duration threshold, int quarantineAfter, int most) {
        return database.application("list-abandoned")
                .param("thresholdMs", threshold.toMillis())
                .param("quarantineAfter", quarantineAfter)
                .param("most", most)
                .query(InspectionRepository::orphan)
                .list();
    }

    /** How many running tasks have made no progress for that long. */
    public long countAbandoned(Duration threshold) {
        return database.application("count-abandoned")
                .param("thresholdMs", threshold.toMillis())
                .query(Long.class)
                .single();
    }

    private static Orphan orphan(ResultSet row, int number) throws SQLException {
        return new Orphan(
                TaskId.of(row.getLong("id")),
                row.getString("queue"),
                row.getString("type"),
                row.getObject("locked_by", UUID.class),
                row.getLong("lease_epoch"),
                row.getTimestamp("locked_at").toInstant(),
                row.getTimestamp("lock_timeout_at").toInstant(),
                row.getInt("zombie_count"),
                TaskColumns.holdReason(row));
    }

    private static Circumstances circumstances(ResultSet row, int number) throws SQLException {
        Task task = TaskColumns.task(row, number);
        Instant pausedAt = TaskColumns.instant(row, "paused_at");
        return new Circumstances(
                task,
                row.getTimestamp("moment").toInstant(),
                pausedAt == null
                        ? null
                        : new PausedQueue(
                                task.queue(), pausedAt, row.getString("paused_by"), row.getString("pause_note")),
                row.getString("owner_name"),
                row.getString("owner_host"),
                row.getString("owner_status"),
                row.getInt("serving_workers"),
                row.getInt("serving_slots"),
                row.getInt("serving_busy"));
    }

    private static Worker worker(ResultSet row, int number) throws SQLException {
        Array queues = row.getArray("queues");
        return new Worker(
                row.getObject("id", UUID.class),
                row.getString("name"),
                row.getString("host"),
                row.getLong("pid"),
                row.getString("version"),
                row.getString("application_version"),
                List.of((String[]) queues.getArray()),
                row.getInt("concurrency"),
                row.getString("status"),
                row.getTimestamp("started_at").toInstant(),
                row.getTimestamp("last_beat_at").toInstant(),
                row.getDouble("silent_seconds"),
                row.getLong("running"),
                TaskColumns.instant(row, "draining_since"),
                row.getString("draining_by"));
    }
}
