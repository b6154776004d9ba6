package io.konduit.queue.store;

import java.sql.SQLException;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.NonTransientDataAccessException;
import org.springframework.dao.NonTransientDataAccessResourceException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.transaction.TransactionException;

/** Tells what an error means for the statement: whether it may succeed later, and whether it was refused for sure. */
public final class DatabaseErrors {
    /** Class 55: locked for longer than the server's or the user's lock timeout. */
    private static final String LOCKED = "55";

    /** Class 25: a server that is read-only for the moment, such as a standby just before it takes over. */
    private static final String TRANSACTION_STATE = "25";

    /** Class 40 says that the transaction was rolled back, with this exception. */
    private static final String COMPLETION_UNKNOWN = "40003";

    /** Of class 57, whose others end the connection: the statement took longer than it may. */
    private static final String CANCELED = "57014";

    /**
     * The server's word that it did not do what it was told, and that the connection lives: wrong data, a broken rule, a
     * wrong state, rolled back, wrong or forbidden statement, too large, locked, raised by a trigger.
     */
    private static final Set<String> REFUSALS = Set.of("22", "23", "25", "40", "42", "54", "55", "P0");

    private DatabaseErrors() {}

    /** Whether nothing was stored for sure: the statement was never sent, or the server refused it. */
    public static boolean isRefusal(Throwable error) {
        String state = sqlState(error);
        return error instanceof CannotGetJdbcConnectionException
                || state.equals(CANCELED)
                || (state.length() == 5
                        && REFUSALS.contains(state.substring(0, 2))
                        && !state.equals(COMPLETION_UNKNOWN));
    }

    /** Whether the same statement may succeed later: the server was away, full, locked or not the leader. */
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

    /** The error in one line, for the log of an outage: its classes and what the server calls it, no message. */
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

    /** Whether the statement gave up because somebody else had something locked. */
    public static boolean isLocked(RuntimeException error) {
        return sqlState(error).startsWith(LOCKED);
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
