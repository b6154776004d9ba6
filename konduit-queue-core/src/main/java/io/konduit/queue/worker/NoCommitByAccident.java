package io.konduit.queue.worker;

import io.konduit.queue.store.QueueDatabase;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * After a {@link TransactionException} before the commit, the fence's or the application's, Spring neither commits nor
 * rolls back; then it switches auto-commit on, and the driver commits. It may even say that it has rolled back: so it takes
 * an {@link org.springframework.transaction.UnexpectedRollbackException} of another transaction. After a rollback
 * and after a commit that failed there is nothing to undo.
 */
final class NoCommitByAccident implements TransactionSynchronization {
    private final QueueDatabase database;

    NoCommitByAccident(QueueDatabase database) {
        this.database = database;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void afterCompletion(int status) {
        if (status != STATUS_COMMITTED) {
            database.rollBack();
        }
    }
}
