package io.konduit.queue.error;

import java.util.Set;

/**
 * Recognises messages that the queue itself wrote for a handler's log and that quote nothing. It checks the code that
 * created the error, not its class: an application may throw the same class with its own text.
 */
final class OwnTexts {
    static final Set<String> WRITERS = Set.of(
            "io.konduit.queue.handler.BeanValidation",
            "io.konduit.queue.handler.JsonText",
            "io.konduit.queue.handler.PayloadConverter",
            "io.konduit.queue.worker.LeaseFence",
            "io.konduit.queue.worker.HandlerContext",
            "io.konduit.queue.worker.TaskRunner");

    private OwnTexts() {}

    static boolean wrote(Throwable error) {
        StackTraceElement[] frames = Causes.frames(error);
        return frames.length > 0 && WRITERS.contains(frames[0].getClassName());
    }
}
