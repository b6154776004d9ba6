package io.konduit.queue.worker;

import io.konduit.queue.store.LeaseRepository;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** One run of a handler, and its transaction that holds an exclusive lock on the task's row, if any. */
final class GuardedRun {
    private static final Logger log = LoggerFactory.getLogger(GuardedRun.class);

    private final RunningTask run;
    private final LeaseRepository leases;
    private final HandOver handOver = new HandOver();
    private @Nullable Object rowHolder;
    private boolean completed;

    GuardedRun(RunningTask run, LeaseRepository leases) {
        this.run = run;
        this.leases = leases;
    }

    RunningTask run() {
        return run;
    }

    HandOver handOver() {
        return handOver;
    }

    /** A task that must not run twice stays with the worker that started it. */
    boolean canBeHandedOver() {
        return !completed && run.task().reapable() && run.ended() == null;
    }

    boolean isCompleted() {
        return completed;
    }

    void complete() {
        completed = true;
    }

    /** Represents the transaction that holds the row; null when none does. */
    @Nullable
    Object rowHolder() {
        return rowHolder;
    }

    /** The thread's current transaction holds the row exclusively until it ends or the lock is undone. */
    void holdRow(Object transaction) {
        rowHolder = transaction;
        run.ownTransactionHoldsRow(true);
        TransactionSynchronizationManager.registerSynchronization(new Hold());
    }

    /** Without the commit, the row keeps the lease from before the transaction, which may have ended long ago. */
    private void extendAtOnce() {
        try {
            leases.extend(Map.of(run.lease(), run.task().lockTimeout()));
        } catch (DataAccessException e) {
            log.debug("The lease on {} could not be extended after a rollback", run.task(), e);
        }
    }

    /** A row that a transaction holds exclusively. A rollback to an older savepoint releases it. */
    private final class Hold implements TransactionSynchronization {
        private final YoungerSavepoints younger = new YoungerSavepoints();

        @Override
        public void savepoint(Object savepoint) {
            younger.add(savepoint);
        }

        /** Called just before the rollback, when the row cannot be extended yet. */
        @Override
        public void savepointRollback(Object savepoint) {
            if (!younger.contains(savepoint)) {
                rowHolder = null;
                run.ownTransactionHoldsRow(false);
            }
        }

        @Override
        public void afterCompletion(int status) {
            rowHolder = null;
            if (status != STATUS_COMMITTED) {
                extendAtOnce();
            }
            run.ownTransactionHoldsRow(false);
        }
    }
}
