package io.konduit.queue.autoconfigure.diagnostics;

import io.konduit.queue.DuplicateJobHandlerException;
import io.konduit.queue.InvalidJobHandlerException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** An invalid handler, or two handlers for one type. */
final class JobHandlerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidJobHandlerException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidJobHandlerException cause) {
        String action = cause instanceof DuplicateJobHandlerException
                ? "Give one of the two another type in @JobHandler, or remove one of the beans. A class that is registered as two beans declares its handlers twice."
                : "Correct the named method. A handler is a method of a bean, neither private nor static, with"
                        + " a payload, a TaskContext, both or nothing as its parameters.";
        return new FailureAnalysis(cause.getMessage(), action, cause);
    }
}
