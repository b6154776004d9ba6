package io.konduit.queue.jdbc;

import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction of the calling thread. Only this class defines what "in a transaction" means:
 *
 * <ul>
 *   <li>{@link #isOpen}: statements on the application's data source join a transaction that is still open. Not a
 *       suspended one, nor one that has ended and is running its callbacks. A connection that a transaction elsewhere
 *       keeps open does not count either: it still commits each statement.
 *   <li>{@link #commitsLater}: the same, and Spring notifies synchronizations of the end.
 *   <li>{@link #awaitsCommit}: the connection holds uncommitted work, even while the commit is in progress.
 *   <li>{@link #isActiveAnywhere}: a transaction on any data source.
 *   <li>{@link #holdsNothing}: no transaction on any data source, and no connection that is kept for the thread without
 *       one. Such a connection commits each statement, but its settings are the thread's own.
 * </ul>
 */
public final class CallerTransaction {
    private final DataSource application;
    private final EndedTransactions ended;
    private final ThreadConnection connection;

    CallerTransaction(DataSource application, EndedTransactions ended) {
        this.application = application;
        this.ended = ended;
        this.connection = new ThreadConnection(application);
    }

    /** Represents the open transaction on the application's data source; null when there is none. */
    public @Nullable Object current() {
        return ended.isBound() ? null : bound();
    }

    /** Whether statements on the application's data source join an open transaction. */
    public boolean isOpen() {
        return current() != null;
    }

    /** Whether the thread's writes are committed later, and synchronizations are notified. */
    public boolean commitsLater() {
        return currentNotifying() != null;
    }

    /** The same as {@link #current}, but null also if Spring does not notify synchronizations of its end. */
    public @Nullable Object currentNotifying() {
        return TransactionSynchronizationManager.isSynchronizationActive() ? current() : null;
    }

    /** Whether the thread's connection waits for a commit, even one that has begun. */
    public boolean awaitsCommit() {
        return bound() != null;
    }

    /** Runs this after the commit of the thread's transaction, and never after a rollback; at once without one. */
    public void afterCommit(Runnable action) {
        if (!commitsLater()) {
            action.run();
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                if (status == STATUS_COMMITTED) {
                    action.run();
                }
            }
        });
    }

    /** Whether the thread is in a transaction on any data source. */
    public boolean isActiveAnywhere() {
        return TransactionSynchronizationManager.isActualTransactionActive();
    }

    /** Whether the thread has neither a transaction nor a connection of the application's data source. */
    public boolean holdsNothing() {
        return !isActiveAnywhere() && !TransactionSynchronizationManager.hasResource(application);
    }

    /** Whether the thread's connection comes from this transaction, and not from one on another data source. */
    public boolean isFrom(TransactionExecution transaction) {
        return ended.resourceOf(transaction) != null;
    }

    /** Whether this represents the transaction that the thread's connection comes from. */
    public boolean isBound(Object transaction) {
        return TransactionSynchronizationManager.getResource(application) == transaction;
    }

    /** Whether the represented transaction no longer holds locks. */
    public boolean hasEnded(Object transaction) {
        return ended.contains(transaction);
    }

    /**
     * Whether the server refuses writes of the thread's transaction. A transaction that is read-only for Spring may still
     * write: not every transaction manager and not every driver setting passes it on.
     */
    public boolean isReadOnlyOnServer() {
        return connection.use(PgTransaction::isReadOnly);
    }

    /** Rolls back the transaction's uncommitted work. */
    public void rollBack() {
        connection.use(open -> {
            // when a connection breaks, the server rolls everything back
            if (!open.isClosed() && !open.getAutoCommit() && !PgTransaction.isIdle(open)) {
                open.rollback();
            }
            return true;
        });
    }

    private @Nullable Object bound() {
        if (!isActiveAnywhere()) {
            return null;
        }
        Object resource = TransactionSynchronizationManager.getResource(application);
        return resource != null && !commitsEachStatement() ? resource : null;
    }

    private boolean commitsEachStatement() {
        return connection.use(Connection::getAutoCommit);
    }
}
