package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.SchemaMissingException;
import io.konduit.queue.settings.PropertyNames;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The tables do not exist, or may not be created or read. */
final class SchemaMissingFailureAnalyzer extends AbstractFailureAnalyzer<SchemaMissingException> {
    private static final String NO_PRIVILEGE = "42501";
    private static final String SCRIPTS = "run the scripts under io/konduit/queue/db in the konduit-queue-core jar";

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SchemaMissingException cause) {
        if (cause.whatToDo() != null) {
            return new FailureAnalysis(cause.getMessage(), cause.whatToDo(), cause);
        }
        String action = NO_PRIVILEGE.equals(sqlState(cause))
                ? "Grant the user of the data source the right to create tables there (grant create on schema ...), or "
                        + SCRIPTS + " as a user who has it, grant that user's tables to this one and set"
                        + " '" + PropertyNames.SCHEMA_INITIALIZE + "' to false. '" + PropertyNames.SCHEMA_NAME
                        + "' chooses another schema."
                : "Set '" + PropertyNames.SCHEMA_INITIALIZE + "' to true, or " + SCRIPTS
                        + ". If the tables are there, check that"
                        + " '" + PropertyNames.SCHEMA_NAME
                        + "' names their schema and that the user of the data source may"
                        + " use it (grant usage on schema ..., grant select, insert, update, delete on its tables).";
        return new FailureAnalysis(cause.getMessage(), action, cause);
    }

    private static @Nullable String sqlState(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return sql.getSQLState();
            }
        }
        return null;
    }
}
