package io.konduit.queue.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
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
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactions that have ended while their connection is still bound to the thread, as in callbacks after a commit.
 * Nothing commits writes made there, so the queue has to do it itself.
 *
 * <p>A transaction ends when its callbacks begin, not before: Hibernate still writes inside the commit. If no listener
 * saw a transaction begin, its end is visible only in after-completion callbacks, for which Spring has removed the
 * synchronizations.
 */
public final class EndedTransactions implements TransactionExecutionListener {
    private final DataSource dataSource;
    private final TransactionTemplate ownTransaction;

    /**
     * Represents the thread's transactions that a listener has seen. Weak: a failing listener keeps Spring from
     * reporting their completion.
     */
    private final ThreadLocal<@Nullable Map<Object, State>> seen = new ThreadLocal<>();

    private enum State {
        OPEN,
        ENDED
    }

    EndedTransactions(DataSource dataSource) {
        this.dataSource = dataSource;
        this.ownTransaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
    }

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
        if (failure == null) {
            see(transaction);
        }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
        see(transaction);
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
        see(transaction);
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
        forget(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
        forget(transaction);
    }

    /** Whether the represented transaction has ended. */
    boolean contains(Object resource) {
        Map<Object, State> known = seen.get();
        State state = known == null ? null : known.get(resource);
        if (state != null) {
            return state == State.ENDED;
        }
        return TransactionSynchronizationManager.isActualTransactionActive()
                && !TransactionSynchronizationManager.isSynchronizationActive();
    }

    /** Whether the calling thread's connection comes from a transaction that has ended. */
    boolean isBound() {
        Object resource = TransactionSynchronizationManager.getResource(dataSource);
        return resource != null && contains(resource);
    }

    /**
     * Runs the work and commits it. It uses the thread's connection: if every callback asked for another one, threads
     * that wait for each other could exhaust a pool. If the callback has already used that connection, the work gets a
     * new one: a commit would persist the callback's own uncommitted work and close its cursors.
     */
    <T> T commit(Supplier<T> work) {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        boolean usable;
        try {
            usable = isInTime() && !connection.isReadOnly() && PgTransaction.isIdle(connection);
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

    /** Whether the transaction's time limit has not passed: after it, statements on its connection are refused. */
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

    /**
     * Entries that exist already are kept: a transaction elsewhere that has no connection may have begun beside it.
     * Transactions that began before this listener was registered are first seen before their completion.
     */
    private void see(TransactionExecution transaction) {
        Object resource = resourceOf(transaction);
        if (resource == null || !transaction.isNewTransaction() || !hasCallbacks(transaction)) {
            return;
        }
        Map<Object, State> known = seen.get();
        if (known == null) {
            known = new WeakHashMap<>();
            seen.set(known);
        }
        if (known.putIfAbsent(resource, State.OPEN) == null) {
            TransactionSynchronizationManager.registerSynchronization(new End(resource));
        }
    }

    /** Without its own synchronization, no application code is called after its end. */
    private static boolean hasCallbacks(TransactionExecution transaction) {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && (!(transaction instanceof DefaultTransactionStatus status) || status.isNewSynchronization());
    }

    private void forget(TransactionExecution transaction) {
        Map<Object, State> known = seen.get();
        Object resource = resourceOf(transaction);
        if (known != null && resource != null && transaction.isNewTransaction()) {
            known.remove(resource, State.ENDED);
            if (known.isEmpty()) {
                seen.remove();
            }
        }
    }

    /** The resource that the thread has bound for the data source, if it belongs to this transaction. */
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

    /** Notified of the end before any callback of the application. */
    private final class End implements TransactionSynchronization {
        private final Object resource;

        End(Object resource) {
            this.resource = resource;
        }

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void afterCommit() {
            ended();
        }

        @Override
        public void afterCompletion(int status) {
            ended();
        }

        private void ended() {
            Map<Object, State> known = seen.get();
            if (known != null) {
                known.replace(resource, State.ENDED);
            }
        }
    }
}
