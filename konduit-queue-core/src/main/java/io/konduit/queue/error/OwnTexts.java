package io.konduit.queue.error;

import java.util.Set;

/**
 * Knows the messages that the queue itself wrote for a handler's log and that quote nothing. It does not go by the class
 * of the error, which an application may throw with a text of its own, but by the code that made it.
 */
final class OwnTexts {
    static final Set<String> WRITERS = Set.of(
            "io.konduit.queue.handler.BeanValidation",
            "io.konduit.queue.handler.JsonText",
            "io.konduit.queue.handler.PayloadConverter",
            "io.konduit.queue.worker.LeaseFence",
            "io.konduit.queue.worker.RunningTask",
            "io.konduit.queue.worker.TaskRunner");

    private OwnTexts() {}

    static boolean wrote(Throwable error) {
        StackTraceElement[] frames = Causes.frames(error);
        return frames.length > 0 && WRITERS.contains(frames[0].getClassName());
    }
}
