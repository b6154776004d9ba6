package io.konduit.queue.worker;

import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.store.WorkerRepository.Heard;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** This instance's row in the worker registry: registers it, sends heartbeats, and learns whether it must drain. */
public final class WorkerRegistry {
    private static final Logger log = LoggerFactory.getLogger(WorkerRegistry.class);

    private final WorkerRepository workers;
    private final WorkerIdentity identity;
    private final OutageGuard guard;
    private final LongSupplier nanoTime;
    private final Drain drain = new Drain();
    private final ScheduleHints schedules = new ScheduleHints();

    public WorkerRegistry(WorkerRepository workers, WorkerIdentity identity, OutageGuard guard, LongSupplier nanoTime) {
        this.workers = workers;
        this.identity = identity;
        this.guard = guard;
        this.nanoTime = nanoTime;
    }

    /** Whether this worker must stop claiming. */
    public Drain drain() {
        return drain;
    }

    /** What this instance hears about schedules. */
    public ScheduleHints schedules() {
        return schedules;
    }

    /** The identity of this worker. */
    public WorkerIdentity identity() {
        return identity;
    }

    /**
     * Registers this worker or sends its heartbeat.
     *
     * @return whether the database was unavailable or its clock jumped, so that leases should be extended at once
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
                    slots,
                    slots == 0 ? List.of() : schedules.declared()));
            schedules.heard(heard.nextSchedule());
            drain.heard(heard.drainedBy());
            guard.observed(heard.serverTime(), sent);
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
            log.debug("The worker could not be deregistered; its row will be removed later", e);
        }
    }
}
