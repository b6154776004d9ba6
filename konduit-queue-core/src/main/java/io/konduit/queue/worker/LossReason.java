package io.konduit.queue.worker;

import io.konduit.queue.store.LeaseRepository;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** Finds out why a lease is lost. A cancellation is deliberate: it is neither a loss nor a false reclaim. */
final class LossReason {
    private static final Logger log = LoggerFactory.getLogger(LossReason.class);

    private final LeaseRepository leases;

    LossReason(LeaseRepository leases) {
        this.leases = leases;
    }

    /** {@link RunningTask.End#CANCELLED}, else {@link RunningTask.End#LOST}. Never throws: the loss is certain, its reason is not. */
    RunningTask.End of(RunningTask run) {
        try {
            return leases.isCancelled(run.lease()) ? RunningTask.End.CANCELLED : RunningTask.End.LOST;
        } catch (DataAccessException e) {
            log.debug("The database did not report why the lease on {} is lost", run.task(), e);
            return RunningTask.End.LOST;
        }
    }

    /** A run that discovered the loss itself does not know the reason. */
    void findOut(RunningTask run) {
        if (run.ended() == RunningTask.End.LOST && of(run) == RunningTask.End.CANCELLED) {
            run.endFromWithin(RunningTask.End.CANCELLED);
        }
    }
}
