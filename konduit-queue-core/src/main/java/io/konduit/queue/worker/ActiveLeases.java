package io.konduit.queue.worker;

import io.konduit.queue.store.Lease;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The leases of this worker whose outcome is not written yet: one run per task. */
final class ActiveLeases {
    private static final Logger log = LoggerFactory.getLogger(ActiveLeases.class);

    private final ConcurrentMap<Long, RunningTask> byTask = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final HangingRuns hanging;
    private final Witness witness;

    ActiveLeases() {
        this(new HangingRuns(), Witness.none());
    }

    /**
     * Creates an empty set.
     *
     * @param hanging includes the hanging runs of earlier starts of this worker
     */
    ActiveLeases(HangingRuns hanging, Witness witness) {
        this.hanging = hanging;
        this.witness = witness;
    }

    /** Of this worker. */
    Witness witness() {
        return witness;
    }

    /** Runs that should have ended by now. */
    HangingRuns hanging() {
        return hanging;
    }

    /**
     * Adds a claimed task. A worker that claims a task it is still running has lost the older lease: that run is
     * dropped and never reported.
     *
     * @return whether the task may run: false while the handler of the older run continues
     */
    boolean add(RunningTask run) {
        RunningTask older = byTask.put(run.task().id(), run);
        bytes.addAndGet(run.task().size());
        if (older != null) {
            bytes.addAndGet(-older.task().size());
            if (older.end(RunningTask.End.SUPERSEDED)) {
                log.warn("This worker claimed {} again: the older run is dropped", run.task());
            }
            if (older.hangs()) {
                hanging.add(older);
                return false;
            }
        }
        return true;
    }

    /** Stops extending and counting this lease. */
    void letGo(RunningTask run) {
        remove(run);
        run.settled();
    }

    /** Forgets a lease whose outcome is settled. */
    void remove(RunningTask run) {
        if (byTask.remove(run.task().id(), run)) {
            bytes.addAndGet(-run.task().size());
        }
    }

    /** The run of a task, if this worker has it. */
    @Nullable
    RunningTask find(long taskId) {
        return byTask.get(taskId);
    }

    /** Whether this exact lease is active. */
    boolean holds(Lease lease) {
        RunningTask run = byTask.get(lease.taskId());
        return run != null && run.lease().epoch() == lease.epoch();
    }

    /** The approximate memory held by their payloads and checkpoints, in bytes. */
    long bytes() {
        return bytes.get();
    }

    Collection<RunningTask> all() {
        return byTask.values();
    }

    /** Whether this is the worker's only lease. */
    boolean hasOnly(RunningTask run) {
        return byTask.values().stream().allMatch(other -> other == run);
    }

    boolean isEmpty() {
        return byTask.isEmpty();
    }
}
