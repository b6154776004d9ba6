package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.autoconfigure.dashboard.DashboardNotAvailableException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The dashboard is enabled where it cannot be served, or where everybody could open it. */
final class DashboardFailureAnalyzer extends AbstractFailureAnalyzer<DashboardNotAvailableException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, DashboardNotAvailableException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
