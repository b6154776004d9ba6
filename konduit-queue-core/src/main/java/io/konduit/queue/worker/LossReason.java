package io.konduit.queue.worker;

import io.konduit.queue.store.LeaseRepository;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** Finds out why a lease is lost: a cancel was meant, and is neither a loss nor a false reclaim. */
final class LossReason {
    private static final Logger log = LoggerFactory.getLogger(LossReason.class);

    private final LeaseRepository leases;

    LossReason(LeaseRepository leases) {
        this.leases = leases;
    }

    /** {@link Execution.End#CANCELLED}, else {@link Execution.End#LOST}. Never throws: the loss is certain, its reason is not. */
    Execution.End of(Execution execution) {
        try {
            return leases.isCancelled(execution.lease()) ? Execution.End.CANCELLED : Execution.End.LOST;
        } catch (DataAccessException e) {
            log.debug("The database did not say why the lease on {} is lost", execution.task(), e);
            return Execution.End.LOST;
        }
    }

    /** A run that found out by itself that its lease is lost knows no reason. */
    void findOut(Execution execution) {
        if (execution.ended() == Execution.End.LOST && of(execution) == Execution.End.CANCELLED) {
            execution.endFromWithin(Execution.End.CANCELLED);
        }
    }
}
