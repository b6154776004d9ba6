package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.UnsupportedDatabaseException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Not PostgreSQL, or one that is too old. */
final class UnsupportedDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<UnsupportedDatabaseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedDatabaseException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Let 'spring.datasource.url' point to a PostgreSQL of that version or later. If the application has such"
                        + " a data source beside this one, put @KonduitQueueDataSource on it. To start without the queue,"
                        + " set 'konduit.queue.enabled' to false.",
                cause);
    }
}
