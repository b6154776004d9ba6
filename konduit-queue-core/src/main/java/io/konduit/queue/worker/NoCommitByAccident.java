package io.konduit.queue.worker;

import io.konduit.queue.jdbc.QueueDatabase;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionSynchronization;

/**
 * After a {@link TransactionException} before the commit, from the fence or the application, Spring neither commits nor
 * rolls back. It then switches auto-commit on, and the driver commits. Spring may even report a rollback: it treats an
 * {@link org.springframework.transaction.UnexpectedRollbackException} of another transaction that way. After a rollback
 * or a failed commit there is nothing to undo.
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
            database.callerTransaction().rollBack();
        }
    }
}
