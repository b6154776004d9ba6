package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.SchemaLockedException;
import io.konduit.queue.settings.PropertyNames;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The tables could not be updated, because other sessions use them. */
final class SchemaLockedFailureAnalyzer extends AbstractFailureAnalyzer<SchemaLockedException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SchemaLockedException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Nothing was changed, and running instances continue. End that transaction, or wait for it, and start again. To end a forgotten session, use 'select pg_terminate_backend(<its pid>)'. If the transaction must take long, raise '"
                        + PropertyNames.SCHEMA_LOCK_PATIENCE
                        + "', or run the scripts under io/konduit/queue/db in the konduit-queue-core jar at a quiet time.",
                cause);
    }
}
