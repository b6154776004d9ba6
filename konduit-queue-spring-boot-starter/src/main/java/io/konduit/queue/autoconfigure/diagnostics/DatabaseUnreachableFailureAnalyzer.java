package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.DatabaseUnreachableException;
import java.sql.SQLException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.NestedExceptionUtils;

/** The database does not answer, or refuses the application's login. */
final class DatabaseUnreachableFailureAnalyzer extends AbstractFailureAnalyzer<DatabaseUnreachableException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DatabaseUnreachableException cause) {
        return new FailureAnalysis(cause.getMessage() + " " + reason(cause), whatToDo(sqlState(cause)), cause);
    }

    private static String whatToDo(String sqlState) {
        return switch (sqlState) {
            case "28000", "28P01" -> "Correct 'spring.datasource.username' and 'spring.datasource.password'.";
            case "3D000" -> "Create that database, or correct its name in 'spring.datasource.url'.";
            case "53300" -> "Free connections on the server, or raise its max_connections.";
            case "57P03" -> "Start the application again when the server has started.";
            default -> "Start PostgreSQL, or correct 'spring.datasource.url'.";
        };
    }

    /** The driver's message: pools wrap it, and their own message only says how long they have waited. */
    private static String reason(Throwable failure) {
        return String.valueOf(sqlFailure(failure).getMessage());
    }

    private static String sqlState(Throwable failure) {
        return sqlFailure(failure) instanceof SQLException sql && sql.getSQLState() != null ? sql.getSQLState() : "";
    }

    /** The innermost error that comes from the database or its driver. */
    private static Throwable sqlFailure(Throwable failure) {
        Throwable innermost = NestedExceptionUtils.getMostSpecificCause(failure);
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                innermost = cause;
            }
        }
        return innermost;
    }
}
