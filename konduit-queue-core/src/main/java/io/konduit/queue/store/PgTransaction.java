package io.konduit.queue.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** What the driver and the server know about the transaction on a connection. */
final class PgTransaction {
    private PgTransaction() {}

    /** Whether no statement was sent since the last commit or rollback. */
    static boolean isIdle(Connection connection) throws SQLException {
        return stateOf(connection) == TransactionState.IDLE;
    }

    /** Whether a commit would make nothing of what was done so far durable; false when nobody knows. */
    static boolean hasWrittenNothing(Connection connection) throws SQLException {
        TransactionState state = stateOf(connection);
        return state == TransactionState.IDLE || (state == TransactionState.OPEN && hasNoId(connection));
    }

    /** A transaction has an id from its first write or row lock on. */
    private static boolean hasNoId(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select pg_current_xact_id_if_assigned() is null")) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static @Nullable TransactionState stateOf(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState()
                : null;
    }
}
