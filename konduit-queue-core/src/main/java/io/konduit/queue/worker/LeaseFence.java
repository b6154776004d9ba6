package io.konduit.queue.worker;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.QueueDatabase;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * F3: inside a handler, every Spring transaction on the queue's data source checks the lease before it commits, on its
 * own connection and with a lock that lasts until that commit. A lost lease rolls the transaction back.
 *
 * <p>The check depends on who has written the task's row, because a second connection of the same thread would wait
 * for the first for ever:
 *
 * <ul>
 *   <li>nobody: a share lock, which a reclaim skips;
 *   <li>this transaction, by a checkpoint: an update that also leaves a fresh lease behind;
 *   <li>a suspended transaction of this thread: a plain look, as its lock keeps everybody else away.
 * </ul>
 */
public final class LeaseFence implements TransactionExecutionListener {
    private final QueueDatabase database;
    private final LeaseRepository leases;
    private final ThreadLocal<@Nullable Guarded> current = new ThreadLocal<>();

    public LeaseFence(QueueDatabase database, LeaseRepository leases) {
        this.database = database;
        this.leases = leases;
    }

    /** Who holds the task's row in a transaction of this thread. */
    private enum RowHolder {
        NOBODY,
        THIS_TRANSACTION,
        SUSPENDED_TRANSACTION
    }

    private static final class Guarded {
        private final Execution execution;
        private RowHolder rowHolder = RowHolder.NOBODY;
        private boolean completed;

        Guarded(Execution execution) {
            this.execution = execution;
        }
    }

    void bind(Execution execution) {
        current.set(new Guarded(execution));
    }

    void unbind() {
        current.remove();
    }

    /** The completion is part of this thread's transaction: it has checked the lease itself. */
    void completedInTransaction() {
        Guarded guarded = current.get();
        if (guarded != null) {
            guarded.completed = true;
        }
    }

    boolean isCompletedInTransaction() {
        Guarded guarded = current.get();
        return guarded != null && guarded.completed;
    }

    /** A checkpoint has written the row in the transaction of this thread, if there is one. */
    void rowWritten() {
        Guarded guarded = current.get();
        if (guarded != null && guarded.rowHolder == RowHolder.NOBODY && database.inApplicationTransaction()) {
            guarded.rowHolder = RowHolder.THIS_TRANSACTION;
            guarded.execution.ownTransactionHoldsRow(true);
            TransactionSynchronizationManager.registerSynchronization(new RowRelease(guarded));
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        Guarded guarded = current.get();
        if (guarded == null || guarded.completed || transaction.isReadOnly() || !database.inApplicationTransaction()) {
            return;
        }
        Execution execution = guarded.execution;
        boolean held = !execution.dropsResult()
                && switch (guarded.rowHolder) {
                    case NOBODY -> leases.guardInTransaction(execution.lease());
                    case THIS_TRANSACTION ->
                        leases.extendInTransaction(
                                execution.lease(), execution.task().lockTimeout());
                    case SUSPENDED_TRANSACTION -> leases.isHeld(execution.lease());
                };
        if (!held) {
            execution.end(Execution.End.LOST);
            throw new LeaseLostException(
                    "The lease on " + execution.task()
                            + " was lost before its transaction could commit: it is rolled back. Another run has the task, or a person decides.");
        }
    }

    private static final class RowRelease implements TransactionSynchronization {
        private final Guarded guarded;

        RowRelease(Guarded guarded) {
            this.guarded = guarded;
        }

        @Override
        public void suspend() {
            guarded.rowHolder = RowHolder.SUSPENDED_TRANSACTION;
        }

        @Override
        public void resume() {
            guarded.rowHolder = RowHolder.THIS_TRANSACTION;
        }

        @Override
        public void afterCompletion(int status) {
            guarded.rowHolder = RowHolder.NOBODY;
            guarded.execution.ownTransactionHoldsRow(false);
        }
    }
}
