package io.konduit.queue.worker;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.TaskHandedOverError;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.LeaseRepository;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * F3: inside a handler, every Spring transaction on the queue's data source checks the lease before it commits, on its
 * own connection and with a lock that lasts until that commit. A lost lease rolls the transaction back.
 *
 * <p>The check depends on what holds the task's row, because a second connection of the same thread would wait for
 * the first forever:
 *
 * <ul>
 *   <li>nothing: a share lock, which a reclaim skips;
 *   <li>this transaction: an update that also renews the lease;
 *   <li>a suspended transaction of this thread: a plain read, because its lock keeps all others away.
 * </ul>
 *
 * <p>A transaction holds the row from its first checkpoint, and, above READ COMMITTED, from its start: otherwise it
 * could not, at its end, lock a row that was extended in the meantime.
 *
 * <p>The end of a nested transaction is not checked. It commits with the outer one, and an early lock would block
 * extensions.
 */
public final class LeaseFence implements TransactionExecutionListener {
    private static final Logger log = LoggerFactory.getLogger(LeaseFence.class);

    private final QueueDatabase database;
    private final LeaseRepository leases;
    private final ThreadLocal<@Nullable GuardedRun> current = new ThreadLocal<>();
    private volatile BooleanSupplier draining = () -> false;

    public LeaseFence(QueueDatabase database, LeaseRepository leases) {
        this.database = database;
        this.leases = leases;
    }

    /** The transaction of this thread that holds the task's row. */
    private enum RowHolder {
        NOBODY,
        THIS_TRANSACTION,
        SUSPENDED_TRANSACTION
    }

    /** S14: while this holds, runs end right after a checkpoint, so that another worker continues from there. */
    void handOverWhen(BooleanSupplier workerDrains) {
        draining = workerDrains;
    }

    boolean isDraining() {
        return draining.getAsBoolean();
    }

    void bind(RunningTask run) {
        current.set(new GuardedRun(run, leases));
    }

    void unbind() {
        current.remove();
    }

    /** The completion is part of this thread's transaction: it has checked the lease itself. */
    void completedInTransaction() {
        GuardedRun guarded = current.get();
        if (guarded != null) {
            guarded.complete();
        }
    }

    boolean isCompletedInTransaction() {
        GuardedRun guarded = current.get();
        return guarded != null && guarded.isCompleted();
    }

    /** Refuses a checkpoint that would wait forever for another transaction of its own thread. */
    void beforeRowWrite() {
        GuardedRun guarded = current.get();
        if (guarded != null && rowHolder(guarded) == RowHolder.SUSPENDED_TRANSACTION) {
            throw new IllegalStateException(
                    "A suspended transaction of this handler has written a checkpoint already, or its isolation is above READ"
                            + " COMMITTED, and this checkpoint would wait for it forever. Checkpoint in one of the two"
                            + " transactions, not in both.");
        }
    }

    /**
     * A checkpoint has written the row. {@code whenCommitted} runs after the commit, or at once without a transaction.
     */
    void rowWritten(Runnable whenCommitted) {
        GuardedRun guarded = current.get();
        Object transaction = database.callerTransaction().currentNotifying();
        if (transaction == null) {
            whenCommitted.run();
            if (guarded != null) {
                guarded.handOver().checkpointStored();
                handOver(
                        guarded,
                        !database.callerTransaction().isActiveAnywhere()
                                && guarded.handOver().isSafe());
            }
            return;
        }
        if (guarded != null) {
            holdRow(guarded, transaction);
        }
        TransactionSynchronizationManager.registerSynchronization(new WhenCommitted(() -> {
            whenCommitted.run();
            if (guarded != null) {
                guarded.handOver().checkpointStored();
            }
        }));
    }

    private void handOver(GuardedRun guarded, boolean safe) {
        if (safe && isDraining() && guarded.canBeHandedOver()) {
            throw new TaskHandedOverError(guarded.run().task().toString());
        }
    }

    private void holdRow(GuardedRun guarded, Object transaction) {
        if (rowHolder(guarded) == RowHolder.NOBODY) {
            guarded.holdRow(transaction);
        }
    }

    /**
     * Must not throw: Spring would leave the transaction open. The check before the commit detects any problem here.
     */
    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        database.endedTransactions().afterBegin(transaction, failure);
        GuardedRun guarded = current.get();
        if (failure != null || guarded == null) {
            return;
        }
        guarded.handOver().begun(transaction);
        // not CallerTransaction.commitsLater: it would ask the connection, which may throw, also for other data sources
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return;
        }
        try {
            if (isFenced(guarded, transaction)) {
                TransactionSynchronizationManager.registerSynchronization(new NoCommitByAccident(database));
                if (database.snapshotTransactions().isCurrent() && rowHolder(guarded) == RowHolder.NOBODY) {
                    lockRow(guarded);
                }
            }
        } catch (Throwable e) {
            log.warn(
                    "The transaction of {} could not be prepared", guarded.run().task(), e);
        }
    }

    private void lockRow(GuardedRun guarded) {
        Object transaction = database.callerTransaction().current();
        if (transaction == null) {
            return;
        }
        RunningTask run = guarded.run();
        if (database.snapshotTransactions().lockFirst(() -> leases.lockInTransaction(run.lease()))) {
            holdRow(guarded, transaction);
        } else {
            run.endFromWithin(RunningTask.End.LOST);
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        database.endedTransactions().beforeCommit(transaction);
        GuardedRun guarded = current.get();
        try {
            if (guarded != null && isFenced(guarded, transaction)) {
                check(guarded);
            }
        } catch (TransactionException e) {
            // Spring treats this as a failed commit and does not roll back: the writes would be committed
            throw new TransientDataAccessResourceException(
                    "The lease of a handler could not be checked before its transaction commits: it is rolled back.",
                    e);
        }
    }

    private void check(GuardedRun guarded) {
        if (!database.callerTransaction().awaitsCommit()) {
            return;
        }
        RunningTask run = guarded.run();
        if (run.dropsResult() || !isHeld(guarded)) {
            run.endFromWithin(RunningTask.End.LOST);
            throw new LeaseLostException(
                    "The lease on " + run.task()
                            + " was lost before its transaction could commit: it is rolled back. Another run has the task, or it is held for a person.");
        }
    }

    private boolean isHeld(GuardedRun guarded) {
        RunningTask run = guarded.run();
        return switch (rowHolder(guarded)) {
            case NOBODY -> leases.guardInTransaction(run.lease());
            case THIS_TRANSACTION ->
                leases.extendInTransaction(run.lease(), run.task().lockTimeout());
            case SUSPENDED_TRANSACTION ->
                leases.guardInTransactionUnlessLocked(run.lease()) || leases.isHeld(run.lease());
        };
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
        database.endedTransactions().beforeRollback(transaction);
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        database.endedTransactions().afterCommit(transaction, failure);
        GuardedRun guarded = current.get();
        if (guarded != null) {
            guarded.handOver().ended(transaction);
            // the transaction has committed and its callbacks have run: an exception from here reaches the handler
            handOver(guarded, failure == null && guarded.handOver().isSafeAfter(transaction));
        }
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        database.endedTransactions().afterRollback(transaction, failure);
        GuardedRun guarded = current.get();
        if (guarded != null) {
            guarded.handOver().ended(transaction);
        }
    }

    private boolean isFenced(GuardedRun guarded, TransactionExecution transaction) {
        return !guarded.isCompleted()
                && transaction.isNewTransaction()
                && database.callerTransaction().isFrom(transaction)
                && !(transaction.isReadOnly() && database.callerTransaction().isReadOnlyOnServer());
    }

    private RowHolder rowHolder(GuardedRun guarded) {
        Object holder = guarded.rowHolder();
        if (holder == null) {
            return RowHolder.NOBODY;
        }
        if (database.callerTransaction().isBound(holder)) {
            return RowHolder.THIS_TRANSACTION;
        }
        // in a callback after its end the transaction looks suspended
        return database.callerTransaction().hasEnded(holder) ? RowHolder.NOBODY : RowHolder.SUSPENDED_TRANSACTION;
    }
}
