package io.konduit.queue.worker;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * S14: whether a run can end now so that another worker goes on from its checkpoint. It can right after a
 * checkpoint has been committed, when the thread is in no transaction whose work would be lost. What a later transaction
 * commits comes after that checkpoint, so it would be done again.
 */
final class HandOver {
    private final Set<TransactionExecution> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean stored;

    void begun(TransactionExecution transaction) {
        if (open.isEmpty()) {
            stored = false;
        }
        open.add(transaction);
    }

    void ended(TransactionExecution transaction) {
        open.remove(transaction);
    }

    /** A checkpoint stands, and nothing has been committed since. */
    void checkpointStored() {
        stored = true;
    }

    /** Outside of every transaction. */
    boolean isSafeNow() {
        return stored && open.isEmpty() && !TransactionSynchronizationManager.isActualTransactionActive();
    }

    /** After the commit of this transaction, which no other one surrounds. */
    boolean isSafeAfter(TransactionExecution committed) {
        return stored
                && open.isEmpty()
                && committed instanceof DefaultTransactionStatus status
                && status.getSuspendedResources() == null;
    }
}
