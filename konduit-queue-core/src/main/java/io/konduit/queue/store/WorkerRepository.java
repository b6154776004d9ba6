package io.konduit.queue.store;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** The workers that are there, for people and metrics. */
public final class WorkerRepository {
    private final QueueDatabase database;

    public WorkerRepository(QueueDatabase database) {
        this.database = database;
    }

    /** What a worker says of itself. */
    public record Registration(
            UUID id, String name, String host, long pid, String version, List<String> queues, int concurrency) {}

    /** A worker that has not beaten for too long. */
    public record Silent(UUID id, String name, String host, long pid, Duration silentFor) {}

    /** Adds the worker, or brings its row back when somebody removed it, and counts as a beat. */
    public DatabaseMoment beat(Registration worker) {
        return database.control("worker-beat")
                .param("id", worker.id())
                .param("name", worker.name())
                .param("host", worker.host())
                .param("pid", worker.pid())
                .param("version", worker.version())
                .param("queues", SqlArrays.texts(worker.queues()))
                .param("concurrency", worker.concurrency())
                .query(ReclaimRepository::readMoment)
                .single();
    }

    /** H2: marks workers that have not beaten for that long, and returns them. */
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

    /** Removes a worker that stops. */
    public void remove(UUID worker) {
        database.control("worker-remove").param("id", worker).update();
    }
}
