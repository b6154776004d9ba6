package io.konduit.queue.store;

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

    /** Adds the worker, or brings its row back when somebody removed it, and counts as a beat. */
    public void beat(Registration worker) {
        database.control("worker-beat")
                .param("id", worker.id())
                .param("name", worker.name())
                .param("host", worker.host())
                .param("pid", worker.pid())
                .param("version", worker.version())
                .param("queues", SqlArrays.texts(worker.queues()))
                .param("concurrency", worker.concurrency())
                .update();
    }

    /** Removes a worker that stops. */
    public void remove(UUID worker) {
        database.control("worker-remove").param("id", worker).update();
    }
}
