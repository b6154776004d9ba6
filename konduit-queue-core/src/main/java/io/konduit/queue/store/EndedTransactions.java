package io.konduit.queue.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactions that have ended while their connection is still bound to the thread, as it is in callbacks after a
 * commit. Nobody commits what is written there, so the queue has to do it itself.
 *
 * <p>A transaction has ended once its manager was told to commit it or to roll it back. Without a listener the end can be
 * seen only in callbacks after the completion, for which Spring has put the synchronizations away.
 */
public final class EndedTransactions implements TransactionExecutionListener {
    private final DataSource dataSource;
    private final TransactionTemplate ownTransaction;

    /** What stood for them. Weak: a listener that fails keeps Spring from telling of the end of the end. */
    private final ThreadLocal<@Nullable Set<Object>> ended = new ThreadLocal<>();

    EndedTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
        this.ownTransaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        remember(transaction);
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
        remember(transaction);
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        forget(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        forget(transaction);
    }

    /** Whether the transaction that this stood for has ended. */
    boolean contains(Object resource) {
        Set<Object> known = ended.get();
        return (known != null && known.contains(resource))
                || (TransactionSynchronizationManager.isActualTransactionActive()
                        && !TransactionSynchronizationManager.isSynchronizationActive());
    }

    /** Whether a transaction that has ended is what the calling thread has its connection from. */
    boolean isBound() {
        Object resource = TransactionSynchronizationManager.getResource(dataSource);
        return resource != null && contains(resource);
    }

    /**
     * Runs the work and commits it. It takes the connection that the thread has: if every callback asked for another one, a
     * pool could be used up by threads that wait for each other. A statement of the application that nobody has
     * committed would be committed with it, so the work then gets a connection of its own.
     */
    <T> T commit(Supplier<T> work) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        boolean usable;
        try {
            usable = isInTime() && !connection.isReadOnly() && PgTransaction.hasWrittenNothing(connection);
            if (usable) {
                return commitOn(connection, work);
            }
        } catch (SQLException e) {
            throw new DataAccessResourceFailureException(
                    "The connection of the transaction that has just ended does not answer.", e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
        return commitApart(work);
    }

    private static <T> T commitOn(Connection connection, Supplier<T> work) throws SQLException {
        boolean commitsByItself = connection.getAutoCommit();
        if (commitsByItself) {
            connection.setAutoCommit(false);
        }
        boolean committed = false;
        try {
            T result = work.get();
            connection.commit();
            committed = true;
            return result;
        } finally {
            if (!committed) {
                connection.rollback();
            }
            if (commitsByItself) {
                connection.setAutoCommit(true);
            }
        }
    }

    private <T> T commitApart(Supplier<T> work) {
        boolean active = TransactionSynchronizationManager.isActualTransactionActive();
        Object resource = TransactionSynchronizationManager.unbindResource(dataSource);
        try {
            return ownTransaction.execute(status -> work.get());
        } finally {
            TransactionSynchronizationManager.bindResource(dataSource, resource);
            TransactionSynchronizationManager.setActualTransactionActive(active);
        }
    }

    /** Whether the time limit of the transaction has not passed: statements on its connection would still be refused. */
    private boolean isInTime() {
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && holder.hasTimeout()) {
            try {
                return holder.getTimeToLiveInMillis() > 0;
            } catch (TransactionTimedOutException e) {
                return false;
            }
        }
        return true;
    }

    private void remember(TransactionExecution transaction) {
        Object resource = resourceOf(transaction);
        if (resource == null || !transaction.isNewTransaction()) {
            return;
        }
        Set<Object> known = ended.get();
        if (known == null) {
            known = Collections.newSetFromMap(new WeakHashMap<>());
            ended.set(known);
        }
        known.add(resource);
    }

    private void forget(TransactionExecution transaction) {
        Set<Object> known = ended.get();
        if (known != null) {
            known.remove(resourceOf(transaction));
            if (known.isEmpty()) {
                ended.remove();
            }
        }
    }

    /** What the thread has bound for the data source, if it is this transaction's and not that of one elsewhere. */
    @Nullable
    Object resourceOf(TransactionExecution transaction) {
        Object bound = TransactionSynchronizationManager.getResource(dataSource);
        if (bound != null
                && transaction instanceof DefaultTransactionStatus status
                && status.hasTransaction()
                && status.getTransaction() instanceof JdbcTransactionObjectSupport jdbc) {
            return jdbc.hasConnectionHolder() && jdbc.getConnectionHolder() == bound ? bound : null;
        }
        return bound;
    }
}
