package io.konduit.queue.worker;

import io.konduit.queue.error.ErrorTexts;

/** Renders errors of the worker's own work for its log: classes and stack, without messages from other code. */
final class ErrorText {
    private static final ErrorTexts TEXTS = ErrorTexts.withoutMessages();

    private ErrorText() {}

    static String withoutMessages(Throwable error) {
        return TEXTS.forLog(error);
    }
}
