package io.konduit.queue.store;

import io.konduit.queue.admin.IncidentAction;
import io.konduit.queue.jdbc.QueueDatabase;
import java.util.Collection;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Incidents: which task was taken from which worker, by which actor, and how it ended. */
public final class IncidentRepository {
    private final QueueDatabase database;

    public IncidentRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * F2: a worker reported on leases it had lost. Returns how many of them a reclaim had taken from it, falsely as it
     * turned out. A cancellation does not count, and an early end of the lease is not a reclaim of its own.
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
                    .map(IncidentAction::valueOf)
                    .filter(action -> action != IncidentAction.CANCELLED && action != IncidentAction.LEASE_ENDED)
                    .count();
        }
        return recorded;
    }

    /** A run of this worker was interrupted and is left to the reaper. */
    public void recordInterrupted(Lease lease, UUID worker, RunError error) {
        evidence("record-interrupted", lease, worker, error)
                .param("error", error.summary())
                .update();
    }

    /** F2: a run failed after it had lost its lease. */
    public void recordRefused(Lease lease, UUID worker, RunError error) {
        evidence("record-refused", lease, worker, error).update();
    }

    private JdbcClient.StatementSpec evidence(String statement, Lease lease, UUID worker, RunError error) {
        return database.control(statement)
                .param("id", lease.taskId())
                .param("epoch", lease.epoch())
                .param("worker", worker)
                .param("attempt", error.attempt())
                .param("type", error.type())
                .param("message", error.message())
                .param("stack", error.stack());
    }
}
