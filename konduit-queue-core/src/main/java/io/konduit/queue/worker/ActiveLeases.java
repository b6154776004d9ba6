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

    private final ConcurrentMap<Long, Execution> byTask = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final HangingRuns hanging;

    ActiveLeases() {
        this(new HangingRuns());
    }

    /**
     * @param hanging those of earlier starts of the worker too
     */
    ActiveLeases(HangingRuns hanging) {
        this.hanging = hanging;
    }

    /** Runs that should have ended. */
    HangingRuns hanging() {
        return hanging;
    }

    /**
     * Adds a claimed task. A worker that claims a task it is still running has lost the older lease: that run is
     * dropped and never reported.
     *
     * @return whether the task may run: not while the handler of the older run goes on
     */
    boolean add(Execution execution) {
        Execution older = byTask.put(execution.task().id(), execution);
        bytes.addAndGet(execution.task().size());
        if (older != null) {
            bytes.addAndGet(-older.task().size());
            if (older.end(Execution.End.SUPERSEDED)) {
                log.warn("{} was claimed again by this worker: its older run is dropped", execution.task());
            }
            if (older.hangs()) {
                hanging.add(older);
                return false;
            }
        }
        return true;
    }

    /** Forgets a lease whose outcome is settled. */
    void remove(Execution execution) {
        if (byTask.remove(execution.task().id(), execution)) {
            bytes.addAndGet(-execution.task().size());
        }
    }

    /** The run of a task, if this worker has it. */
    @Nullable
    Execution find(long taskId) {
        return byTask.get(taskId);
    }

    /** Whether this very lease is among them. */
    boolean holds(Lease lease) {
        Execution execution = byTask.get(lease.taskId());
        return execution != null && execution.lease().epoch() == lease.epoch();
    }

    /** What their payloads and checkpoints take up in memory, about. */
    long bytes() {
        return bytes.get();
    }

    Collection<Execution> all() {
        return byTask.values();
    }

    /** Whether this worker has no other lease than this one. */
    boolean hasOnly(Execution execution) {
        return byTask.values().stream().allMatch(other -> other == execution);
    }

    boolean isEmpty() {
        return byTask.isEmpty();
    }
}
