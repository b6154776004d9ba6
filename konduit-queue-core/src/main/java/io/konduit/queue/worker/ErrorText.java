package io.konduit.queue.worker;

import io.konduit.queue.error.ErrorTexts;

/** Errors of the worker's own work for its log: classes and stack, no messages of anybody else. */
final class ErrorText {
    private static final ErrorTexts TEXTS = ErrorTexts.withoutMessages();

    private ErrorText() {}

    static String withoutMessages(Throwable error) {
        return TEXTS.forLog(error);
    }
}
