package io.konduit.queue.worker;

import java.util.ArrayList;
import java.util.List;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * S14: whether a run can end now so that another worker continues from its checkpoint. It can right after a committed
 * checkpoint, while the thread is in no transaction whose work would be lost. Anything a later transaction commits is
 * not covered by that checkpoint and would be repeated.
 */
final class HandOver {
    /** A list, because an empty one takes no memory: most handlers begin no transaction. */
    private final List<TransactionExecution> open = new ArrayList<>();

    private boolean stored;

    void begun(TransactionExecution transaction) {
        if (open.isEmpty()) {
            stored = false;
        }
        open.add(transaction);
    }

    void ended(TransactionExecution transaction) {
        open.removeIf(each -> each == transaction);
    }

    /** A checkpoint is committed, and nothing has been committed since. */
    void checkpointStored() {
        stored = true;
    }

    /** For a thread that is in no transaction. */
    boolean isSafe() {
        return stored && open.isEmpty();
    }

    /** After the commit of this outermost transaction. */
    boolean isSafeAfter(TransactionExecution committed) {
        return stored
                && open.isEmpty()
                && committed instanceof DefaultTransactionStatus status
                && status.getSuspendedResources() == null;
    }
}
