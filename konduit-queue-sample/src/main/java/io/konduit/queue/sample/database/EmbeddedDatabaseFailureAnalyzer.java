package io.konduit.queue.sample.database;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Lets Spring Boot show a failed start in words instead of a stack trace. */
class EmbeddedDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<EmbeddedDatabaseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, EmbeddedDatabaseException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
