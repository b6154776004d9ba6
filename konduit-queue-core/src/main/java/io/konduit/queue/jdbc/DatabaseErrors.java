package io.konduit.queue.jdbc;

import java.sql.SQLException;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.TransactionException;

/** Classifies an error: whether the statement may succeed later, and whether it was certainly refused. */
public final class DatabaseErrors {
    /** Class 55: locked for longer than the server's or the user's lock timeout. */
    private static final String LOCKED = "55";

    /** Class 25: a server that is temporarily read-only, such as a standby just before its promotion. */
    private static final String TRANSACTION_STATE = "25";

    /** Class 40 means that the transaction was rolled back; this code is the exception. */
    private static final String COMPLETION_UNKNOWN = "40003";

    /** In class 57, whose other codes end the connection: the statement exceeded its time limit. */
    private static final String CANCELED = "57014";

    /**
     * The server reports that it did not execute the statement, and the connection is alive: invalid data, a violated
     * constraint, an invalid state, a rollback, an invalid or forbidden statement, too large, locked, raised by a
     * trigger.
     */
    private static final Set<String> REFUSALS = Set.of("22", "23", "25", "40", "42", "54", "55", "P0");

    private static final String DENIED = "42501";

    private DatabaseErrors() {}

    /** Whether certainly nothing was stored: the statement was never sent, or the server refused it. */
    public static boolean isRefusal(Throwable error) {
        String state = sqlState(error);
        return error instanceof CannotGetJdbcConnectionException
                || state.equals(CANCELED)
                || (state.length() == 5
                        && REFUSALS.contains(state.substring(0, 2))
                        && !state.equals(COMPLETION_UNKNOWN));
    }

    /** Whether the same statement may succeed later: the server was unavailable, full, locked or not the primary. */
    public static boolean mayPass(RuntimeException error) {
        if (error instanceof TransactionException || error instanceof NonTransientDataAccessResourceException) {
            return true;
        }
        if (error instanceof NonTransientDataAccessException) {
            String state = sqlState(error);
            return state.startsWith(LOCKED) || state.startsWith(TRANSACTION_STATE);
        }
        return error instanceof DataAccessException;
    }

    /** The error in one line, for the log of an outage: its classes and SQLSTATE, no message. */
    public static String summary(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        String classes = error.getClass().getSimpleName()
                + (root == error ? "" : ", " + root.getClass().getSimpleName());
        String state = sqlState(error);
        return state.isEmpty() ? classes : classes + ", SQLSTATE " + state;
    }

    /** Whether the statement gave up because of a lock held elsewhere. */
    public static boolean isLocked(RuntimeException error) {
        return sqlState(error).startsWith(LOCKED);
    }

    /** Whether the role lacks the permission. */
    public static boolean isDenied(Throwable error) {
        return sqlState(error).equals(DENIED);
    }

    private static String sqlState(Throwable error) {
        for (Throwable current = error; current != null; current = current.getCause()) {
            if (current instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return "";
    }
}
