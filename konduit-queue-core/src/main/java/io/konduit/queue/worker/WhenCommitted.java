package io.konduit.queue.worker;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.springframework.transaction.support.TransactionSynchronization;

/** Runs after the commit, unless what it stands for was rolled back to a savepoint that is older than it. */
final class WhenCommitted implements TransactionSynchronization {
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
