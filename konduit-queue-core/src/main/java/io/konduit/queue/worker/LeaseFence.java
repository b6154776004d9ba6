package io.konduit.queue.worker;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.QueueDatabase;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
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
 *
 * <p>The end of a nested transaction is not checked: it commits with the outer one, and a lock taken early would keep
 * extensions waiting.
 */
public final class LeaseFence implements TransactionExecutionListener {
    private static final Logger log = LoggerFactory.getLogger(LeaseFence.class);

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

    private static final class Guarded implements TransactionSynchronization {
        private final Execution execution;
        private final LeaseRepository leases;
        private @Nullable Object writer;
        private boolean completed;

        Guarded(Execution execution, LeaseRepository leases) {
            this.execution = execution;
            this.leases = leases;
        }

        @Override
        public void afterCompletion(int status) {
            writer = null;
            if (status != STATUS_COMMITTED) {
                extendAtOnce();
            }
            execution.ownTransactionHoldsRow(false);
        }

        /** Without the commit the row has the lease from before the transaction, which may have ended long ago. */
        private void extendAtOnce() {
            try {
                leases.extend(Map.of(execution.lease(), execution.task().lockTimeout()));
            } catch (DataAccessException e) {
                log.debug("The lease on {} could not be extended after a rollback", execution.task(), e);
            }
        }
    }

    void bind(Execution execution) {
        current.set(new Guarded(execution, leases));
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

    /** Refuses a checkpoint that would wait for ever for a transaction of its own thread. */
    void beforeRowWrite() {
        Guarded guarded = current.get();
        if (guarded != null && rowHolder(guarded) == RowHolder.SUSPENDED_TRANSACTION) {
            throw new IllegalStateException(
                    "A suspended transaction of this handler has written a checkpoint already, and another one would wait"
                            + " for it for ever. Checkpoint in one of the two transactions, not in both.");
        }
    }

    /** A checkpoint has written the row; {@code whenCommitted} runs when it stands, at once without a transaction. */
    void rowWritten(Runnable whenCommitted) {
        Object transaction = database.applicationTransaction();
        if (transaction == null || !TransactionSynchronizationManager.isSynchronizationActive()) {
            whenCommitted.run();
            return;
        }
        Guarded guarded = current.get();
        if (guarded != null && guarded.writer == null) {
            guarded.writer = transaction;
            guarded.execution.ownTransactionHoldsRow(true);
            TransactionSynchronizationManager.registerSynchronization(guarded);
        }
        TransactionSynchronizationManager.registerSynchronization(new WhenCommitted(whenCommitted));
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        Guarded guarded = current.get();
        if (guarded == null
                || guarded.completed
                || transaction.isReadOnly()
                || !transaction.isNewTransaction()
                || !database.isApplicationTransaction(transaction)) {
            return;
        }
        Execution execution = guarded.execution;
        boolean held = !execution.dropsResult()
                && switch (rowHolder(guarded)) {
                    case NOBODY -> leases.guardInTransaction(execution.lease());
                    case THIS_TRANSACTION ->
                        leases.extendInTransaction(
                                execution.lease(), execution.task().lockTimeout());
                    case SUSPENDED_TRANSACTION -> leases.isHeld(execution.lease());
                };
        if (!held) {
            execution.endFromWithin(Execution.End.LOST);
            throw new LeaseLostException(
                    "The lease on " + execution.task()
                            + " was lost before its transaction could commit: it is rolled back. Another run has the task, or a person decides.");
        }
    }

    private RowHolder rowHolder(Guarded guarded) {
        if (guarded.writer == null) {
            return RowHolder.NOBODY;
        }
        return guarded.writer == database.applicationTransaction()
                ? RowHolder.THIS_TRANSACTION
                : RowHolder.SUSPENDED_TRANSACTION;
    }

    /** Runs after the commit, unless what it stands for was rolled back to a savepoint that is older than it. */
    private static final class WhenCommitted implements TransactionSynchronization {
        private final Runnable action;
        private final Set<Object> younger = Collections.newSetFromMap(new IdentityHashMap<>());
        private boolean undone;

        WhenCommitted(Runnable action) {
            this.action = action;
        }

        @Override
        public void savepoint(Object savepoint) {
            younger.add(savepoint);
        }

        @Override
        public void savepointRollback(Object savepoint) {
            undone |= !younger.contains(savepoint);
        }

        @Override
        public void afterCommit() {
            if (!undone) {
                action.run();
            }
        }
    }
}
