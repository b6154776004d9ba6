package io.konduit.queue.store;

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
 * Transactions that have ended while their connection is still bound to the thread, as it is in callbacks after a
 * commit. Nobody commits what is written there, so the queue has to do it itself.
 *
 * <p>A transaction has ended when its callbacks begin, not before: Hibernate still writes inside the commit. Of a
 * transaction that no listener saw begin the end can be seen only in callbacks after the completion, for which Spring
 * has put the synchronizations away.
 */
public final class EndedTransactions implements TransactionExecutionListener {
    private final DataSource dataSource;
    private final TransactionTemplate ownTransaction;

    /**
     * What stands for the thread's transactions that a listener has seen. Weak: a listener that fails keeps Spring from
     * telling of the end of the end.
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

    /** Whether the transaction that this stood for has ended. */
    boolean contains(Object resource) {
        Map<Object, State> known = seen.get();
        State state = known == null ? null : known.get(resource);
        if (state != null) {
            return state == State.ENDED;
        }
        return TransactionSynchronizationManager.isActualTransactionActive()
                && !TransactionSynchronizationManager.isSynchronizationActive();
    }

    /** Whether a transaction that has ended is what the calling thread has its connection from. */
    boolean isBound() {
        Object resource = TransactionSynchronizationManager.getResource(dataSource);
        return resource != null && contains(resource);
    }

    /**
     * Runs the work and commits it. It takes the connection that the thread has: if every callback asked for another one, a
     * pool could be used up by threads that wait for each other. If the callback has had a statement there, the work gets a
     * connection of its own: a commit would make durable what nobody else commits, and close the callback's cursors.
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

    /**
     * What is seen already stays as it is: a transaction elsewhere that has no connection may have begun beside it. Before
     * the end comes what began before this was a listener.
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

    /** Without a synchronization of its own nothing of the application is called after its end. */
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

    /** Hears of the end before every callback of the application. */
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
