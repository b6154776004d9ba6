package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.SchemaVersionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The tables have another version than this release, or were created by hand where the queue would create them. */
final class SchemaVersionFailureAnalyzer extends AbstractFailureAnalyzer<SchemaVersionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SchemaVersionException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.whatToDo(), cause);
    }
}
