package io.konduit.queue.worker;

import org.springframework.transaction.support.TransactionSynchronization;

/** Runs after the commit, unless its work was rolled back to an earlier savepoint. */
final class WhenCommitted implements TransactionSynchronization {
    private final Runnable action;
    private final YoungerSavepoints younger = new YoungerSavepoints();
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
