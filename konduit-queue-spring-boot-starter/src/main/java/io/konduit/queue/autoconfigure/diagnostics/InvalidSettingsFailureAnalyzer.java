package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.InvalidSettingsException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Settings that cannot work, alone or together. */
final class InvalidSettingsFailureAnalyzer extends AbstractFailureAnalyzer<InvalidSettingsException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidSettingsException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Change the named properties so that the rule holds. docs/configuration.md and your editor's completion describe every property under konduit.queue with its default.",
                cause);
    }
}
