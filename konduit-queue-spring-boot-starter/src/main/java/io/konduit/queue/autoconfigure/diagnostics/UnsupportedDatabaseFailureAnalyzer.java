package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.UnsupportedDatabaseException;
import io.konduit.queue.settings.PropertyNames;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Not PostgreSQL, one that is too old, or one that the queue cannot use as it is. */
final class UnsupportedDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<UnsupportedDatabaseException> {

    private static final String ANOTHER_DATABASE =
            "Point 'spring.datasource.url' to a PostgreSQL of that version or later. If the application has another data source for such a server, put @KonduitQueueDataSource on it.";

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnsupportedDatabaseException cause) {
        String whatToDo = cause.whatToDo() == null ? ANOTHER_DATABASE : cause.whatToDo();
        return new FailureAnalysis(
                cause.getMessage(),
                whatToDo + " To start without the queue, set '" + PropertyNames.ENABLED + "' to false.",
                cause);
    }
}
