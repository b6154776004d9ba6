package io.konduit.queue.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** What the driver knows about the transaction on a connection. */
final class PgTransaction {
    private PgTransaction() {}

    /** Whether no statement was sent since the last commit or rollback; false when unknown. */
    static boolean isIdle(Connection connection) throws SQLException {
        return stateOf(connection) == TransactionState.IDLE;
    }

    /** Whether the server refuses writes. A driver with {@code readOnlyMode=ignore} does not tell the server. */
    static boolean isReadOnly(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).hintReadOnly()
                : connection.isReadOnly();
    }

    private static @Nullable TransactionState stateOf(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState()
                : null;
    }
}
