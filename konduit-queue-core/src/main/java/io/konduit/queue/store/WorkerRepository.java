package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import io.konduit.queue.store.AuditRepository.Author;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The worker registry, for operators and metrics. */
public final class WorkerRepository {
    private final QueueDatabase database;

    public WorkerRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * A worker's description of itself.
     *
     * @param version of this library
     * @param applicationVersion null when the application has none
     * @param schedules that its handlers declare
     */
    public record Registration(
            UUID id,
            String name,
            String host,
            long pid,
            String version,
            @Nullable String applicationVersion,
            List<String> queues,
            int concurrency,
            List<String> schedules) {
        /** Of a worker whose handlers declare no schedules. */
        public Registration(
                UUID id,
                String name,
                String host,
                long pid,
                String version,
                @Nullable String applicationVersion,
                List<String> queues,
                int concurrency) {
            this(id, name, host, pid, version, applicationVersion, queues, concurrency, List.of());
        }
    }

    /** A worker whose heartbeat is overdue. */
    public record Silent(UUID id, String name, String host, long pid, Duration silentFor) {}

    /**
     * The database's answer to a heartbeat.
     *
     * @param drainedBy the operator who asked the worker to drain; null when none did
     * @param nextSchedule how long until the next schedule is due, negative if it is late; null when there is none
     */
    public record Heard(
            ServerTime serverTime,
            @Nullable String drainedBy,
            @Nullable Duration nextSchedule) {}

    /** Adds the worker or restores its deleted row, and counts as a heartbeat. */
    public Heard beat(Registration worker) {
        return database.control("worker-beat")
                .param("id", worker.id())
                .param("name", worker.name())
                .param("host", worker.host())
                .param("pid", worker.pid())
                .param("version", worker.version())
                .param("applicationVersion", worker.applicationVersion())
                .param("queues", SqlArrays.texts(worker.queues()))
                .param("concurrency", worker.concurrency())
                .param("schedules", worker.schedules().isEmpty() ? null : SqlArrays.texts(worker.schedules()))
                .query(WorkerRepository::heard)
                .single();
    }

    private static Heard heard(ResultSet row, int number) throws SQLException {
        long next = row.getLong("next_schedule_ms");
        Duration nextSchedule = row.wasNull() ? null : Duration.ofMillis(next);
        return new Heard(ReclaimRepository.readServerTime(row, number), row.getString("draining_by"), nextSchedule);
    }

    /** H2: marks workers without a heartbeat for this long, and returns them. */
    public List<Silent> markStale(Duration threshold) {
        return database.control("workers-mark-stale")
                .param("thresholdMs", threshold.toMillis())
                .query((row, number) -> new Silent(
                        row.getObject("id", UUID.class),
                        row.getString("name"),
                        row.getString("host"),
                        row.getLong("pid"),
                        Duration.ofMillis(row.getLong("silent_ms"))))
                .list();
    }

    /**
     * S14: asks a worker to stop claiming, with an audit entry; false when that is not possible. Commits by itself: an
     * open transaction would block the worker's heartbeat.
     */
    public boolean drain(UUID worker, Author author) {
        return tell("worker-drain", worker, author) == 1;
    }

    /** Lets a draining worker claim again, with an audit entry; false when it does not drain. */
    public boolean resume(UUID worker, Author author) {
        return tell("worker-resume", worker, author) == 1;
    }

    /** {@code ACTIVE}, {@code DRAINING} or {@code CHORES_ONLY}; empty when there is no such worker. */
    public Optional<String> state(UUID worker) {
        return database.application("worker-state")
                .param("id", worker)
                .query(String.class)
                .optional();
    }

    private int tell(String statement, UUID worker, Author author) {
        return database.control(statement)
                .param("id", worker)
                .param("actor", author.actor())
                .param("note", author.note())
                .update();
    }

    /** The queues that no worker with a recent heartbeat serves. */
    public List<String> unserved(Collection<String> queues, Duration staleThreshold) {
        return database.control("find-unserved")
                .param("queues", SqlArrays.texts(queues))
                .param("staleMs", staleThreshold.toMillis())
                .query(String.class)
                .list();
    }

    /** Removes a worker that stops. */
    public void remove(UUID worker) {
        database.control("worker-remove").param("id", worker).update();
    }
}
