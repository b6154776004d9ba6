package io.konduit.queue.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transactions above READ COMMITTED. They see the database as it was at their first statement, and may lock no row that
 * has changed since.
 */
public final class SnapshotTransactions {
    private static final int TRIES = 5;

    private final ThreadConnection connection;
    private volatile @Nullable Boolean byDefault;

    SnapshotTransactions(DataSource dataSource) {
        this.connection = new ThreadConnection(dataSource);
    }

    /** Whether the transaction that the calling thread has just begun is one of them. */
    public boolean isCurrent() {
        Integer level = TransactionSynchronizationManager.getCurrentTransactionIsolationLevel();
        if (level != null) {
            return level > Connection.TRANSACTION_READ_COMMITTED;
        }
        Boolean known = byDefault;
        if (known == null) {
            known = askForDefault();
            byDefault = known;
        }
        return known;
    }

    /**
     * Takes a lock as the transaction's first statement. If the row changes during the wait, the transaction restarts
     * with a new snapshot. Nothing is lost, unless other code has already run a statement in it.
     */
    public boolean lockFirst(BooleanSupplier lock) {
        return connection.use(open -> lockFirst(lock, open));
    }

    private static boolean lockFirst(BooleanSupplier lock, Connection connection) throws SQLException {
        boolean first = PgTransaction.isIdle(connection);
        for (int tried = 1; ; tried++) {
            try {
                return lock.getAsBoolean();
            } catch (DataAccessException e) {
                if (first) {
                    connection.rollback();
                }
                if (!first || tried == TRIES || !(e instanceof ConcurrencyFailureException)) {
                    throw e;
                }
            }
        }
    }

    /** On the transaction's own connection: while it is open, a second one may not be available. */
    private boolean askForDefault() {
        return connection.use(open -> {
            boolean first = PgTransaction.isIdle(open);
            int level = open.getTransactionIsolation();
            if (first && !open.getAutoCommit()) {
                open.rollback();
            }
            return level > Connection.TRANSACTION_READ_COMMITTED;
        });
    }
}
