package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.InvalidScheduleException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** P10: a schedule that cannot be. */
final class ScheduleFailureAnalyzer extends AbstractFailureAnalyzer<InvalidScheduleException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidScheduleException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Correct the @Recurring of the named method, or the property that its placeholder names. The value '-' for"
                        + " cron switches it off.",
                cause);
    }
}
