package io.konduit.queue.review;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.admin.AttemptError;
import io.konduit.queue.admin.AuditEntry;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.HeldTask;
import io.konduit.queue.admin.Incident;
import io.konduit.queue.admin.IncidentCount;
import io.konduit.queue.admin.IncidentDay;
import io.konduit.queue.admin.MinutePace;
import io.konduit.queue.admin.Orphan;
import io.konduit.queue.admin.PausedQueue;
import io.konduit.queue.admin.QueueDecision;
import io.konduit.queue.admin.RegisteredWorker;
import io.konduit.queue.admin.TaskContent;
import io.konduit.queue.admin.TaskGroups;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import io.konduit.queue.store.ErrorRepository;
import io.konduit.queue.store.RecordedLocks;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/** Operator queries about queues, workers and tasks. Each is one statement of bounded cost. */
public final class InspectionRepository {
    private final QueueDatabase database;
    private final Duration staleThreshold;
    private final ErrorRepository errors;
    private final SingletonSupplier<OperatorReads> reads;

    /** @param staleThreshold a worker that has been silent for longer is STALE */
    public InspectionRepository(QueueDatabase database, Duration staleThreshold) {
        this.database = database;
        this.staleThreshold = staleThreshold;
        this.errors = new ErrorRepository(database);
        // created with the first query: most instances are never asked
        this.reads = SingletonSupplier.of(() -> database.repositories().create(OperatorReads.class));
    }

    /**
     * The instance that runs the background chores.
     *
     * @param serverTime the database's time
     * @param leader the holder of the lock; null when there is none
     * @param lastReaper the worker that ran the reaper's last pass
     */
    public record Leader(
            Instant serverTime,
            @Nullable String leader,
            @Nullable UUID lastReaper) {}

    public List<RegisteredWorker> workers(int limit) {
        return reads.obtain()
                .workers(
                        staleThreshold.toMillis(),
                        SilentWorkers.goneAfter(staleThreshold).toMillis(),
                        limit);
    }

    public Leader leader(String lock, String chore) {
        return reads.obtain().leader(lock, RecordedLocks.NAME, chore);
    }

    public List<PausedQueue> paused(int limit) {
        return reads.obtain().paused(limit);
    }

    /** Who paused and resumed queues before {@code beforeId}, newest first. */
    public List<QueueDecision> decisions(long beforeId, int limit) {
        return reads.obtain().decisions(beforeId, limit);
    }

    /** Bulk and worker operations before {@code beforeId}, newest first. */
    public List<AuditEntry> audit(long beforeId, int limit) {
        return reads.obtain().audit(beforeId, limit);
    }

    public Optional<TaskSituation> situation(TaskId id) {
        return reads.obtain().situation(id.value(), staleThreshold.toMillis()).map(SituationRow::toSituation);
    }

    /** The review inbox, by id, after {@code afterId}. */
    public List<HeldTask> held(long afterId, int limit) {
        return reads.obtain().held(afterId, limit).stream()
                .map(HeldRow::toHeldTask)
                .toList();
    }

    /** The incidents of the last {@code period} by kind; the newest {@code cap} of them. */
    public List<IncidentCount> countIncidents(Duration period, int cap) {
        return reads.obtain().countIncidents(period.toMillis(), cap);
    }

    /** The evidence of the last {@code period}, newest first, before {@code before}. */
    public List<Incident> incidents(Duration period, Cursor before, int limit) {
        return reads.obtain().incidents(period.toMillis(), SearchRepository.timeOf(before), before.id(), limit);
    }

    /** The incidents of the last days by kind, at most {@code cap} of a day. */
    public List<IncidentDay> incidentsPerDay(int days, int cap) {
        return reads.obtain().incidentsPerDay(days, cap);
    }

    /**
     * What ended in each minute of the last hour.
     *
     * @param cap how many failed tasks of a minute are counted at most
     * @param pages how many pages of each slot of history are read at most
     */
    public List<MinutePace> lastHour(int cap, int pages) {
        return new PaceRepository(database).lastHour(cap, pages);
    }

    /** The newest {@code cap} tasks of each state by queue and type. */
    public TaskGroups groups(int cap) {
        return new TaskGroups(reads.obtain().groups(cap), cap);
    }

    /** The evidence of one task, newest first. */
    public List<Incident> incidentsOf(TaskId id, int limit) {
        return reads.obtain().incidentsOf(id.value(), limit);
    }

    /** The errors of a task, newest first. */
    public List<AttemptError> errorsOf(TaskId id) {
        return errors.of(id);
    }

    /** Live tasks that have lost more than this many workers, highest count first. */
    public List<Task> zombies(int above, int limit) {
        return errors.toTasks(reads.obtain().zombies(above, limit));
    }

    /** The orphans that a reclaim would take now, oldest first. */
    public List<Orphan> orphans(Duration grace, int quarantineAfter, int limit) {
        return reads.obtain().orphans(null, grace.toMillis(), quarantineAfter, limit);
    }

    /** Running tasks without progress for this long, by id. */
    public List<Orphan> abandoned(Duration threshold, int quarantineAfter, int limit) {
        return reads.obtain().abandoned(threshold.toMillis(), quarantineAfter, limit);
    }

    /** How many running tasks have made no progress for this long. */
    public long countAbandoned(Duration threshold) {
        return reads.obtain().countAbandoned(threshold.toMillis());
    }

    /** Payloads and checkpoints of these tasks, except those larger than {@code maxBytes} in the database. */
    public Map<TaskId, TaskContent> contents(Collection<TaskId> ids, int maxBytes) {
        if (ids.isEmpty()) {
            return Map.of();
        }
        return database
                .application("read-contents")
                .param("ids", SqlArrays.bigints(ids, TaskId::value))
                .param("maxBytes", maxBytes)
                .query(database.repositories().rows(ContentRow.class))
                .list()
                .stream()
                .collect(Collectors.toMap(ContentRow::id, row -> row.toContent(maxBytes)));
    }
}
