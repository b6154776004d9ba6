package io.konduit.queue.store;

import java.util.Collection;
import java.util.UUID;

/** The evidence: what was taken from whom, by whom, and what came of it. */
public final class IncidentRepository {
    private static final String CANCELLED = "CANCELLED";

    private final QueueDatabase database;

    public IncidentRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * F2: a worker reported on leases it had lost. Returns how many of them a reclaim had taken from it, falsely as it
     * turns out: a cancel is none.
     */
    public int recordLateOutcome(Collection<Lease> leases, UUID worker, String outcome) {
        int recorded = 0;
        for (Lease lease : leases) {
            recorded += (int) database
                    .control("record-late-outcome")
                    .param("id", lease.taskId())
                    .param("epoch", lease.epoch())
                    .param("worker", worker)
                    .param("outcome", outcome)
                    .query(String.class)
                    .list()
                    .stream()
                    .filter(action -> !CANCELLED.equals(action))
                    .count();
        }
        return recorded;
    }
}
