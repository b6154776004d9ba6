package io.konduit.queue.worker;

import io.konduit.queue.WorkerMarkedStale;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.recovery.OutageGuard;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.store.WorkerRepository.Heard;
import io.konduit.queue.store.WorkerRepository.Silent;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Which workers are there, for people and metrics. A worker that is STALE keeps its tasks: only the end of a lease takes
 * a task away.
 */
public final class WorkerRegistry {
    private static final Logger log = LoggerFactory.getLogger(WorkerRegistry.class);

    private final WorkerRepository workers;
    private final WorkerIdentity identity;
    private final OutageGuard guard;
    private final QueueEvents events;
    private final LongSupplier nanoTime;
    private final Drain drain = new Drain();

    public WorkerRegistry(
            WorkerRepository workers,
            WorkerIdentity identity,
            OutageGuard guard,
            QueueEvents events,
            LongSupplier nanoTime) {
        this.workers = workers;
        this.identity = identity;
        this.guard = guard;
        this.events = events;
        this.nanoTime = nanoTime;
    }

    /** Whether this worker is to claim nothing more. */
    public Drain drain() {
        return drain;
    }

    /** Who this worker is. */
    public WorkerIdentity identity() {
        return identity;
    }

    /**
     * Registers this worker, or tells that it is alive.
     *
     * @return whether the database was away or its clock jumped, so that leases should be extended at once
     */
    public synchronized boolean beat(List<String> queues, int slots) {
        long sent = nanoTime.getAsLong();
        try {
            Heard heard = workers.beat(new WorkerRepository.Registration(
                    identity.id(),
                    identity.name(),
                    identity.host(),
                    identity.pid(),
                    identity.version(),
                    identity.applicationVersion(),
                    queues,
                    slots));
            drain.heard(heard.drainedBy());
            guard.observed(heard.moment(), sent);
            return guard.takeAlarm();
        } catch (DataAccessException e) {
            guard.failed();
            throw e;
        }
    }

    /** Leaves the registry. */
    public void deregister() {
        try {
            workers.remove(identity.id());
        } catch (DataAccessException e) {
            log.debug("The worker could not leave the registry; its row is removed later", e);
        }
    }

    /** H2: marks workers that have been silent for that long; returns how many. */
    public int markStaleOnce(Duration threshold) {
        List<Silent> silent = workers.markStale(threshold);
        for (Silent worker : silent) {
            log.warn(
                    "Worker {} ({}, {} pid {}) has been silent for {} s and is STALE. Its tasks are its own until their leases end.",
                    worker.name(),
                    worker.id(),
                    worker.host(),
                    worker.pid(),
                    worker.silentFor().toSeconds());
            events.publish(
                    new WorkerMarkedStale(worker.id(), worker.name(), worker.host(), worker.pid(), worker.silentFor()));
        }
        return silent.size();
    }
}
