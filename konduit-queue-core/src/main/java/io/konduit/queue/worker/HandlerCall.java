package io.konduit.queue.worker;

import io.konduit.queue.TaskContext;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.PayloadConverter;

/** How a run calls its handler. Tests of applications end a run where a process could die. */
public interface HandlerCall {
    HandlerCall PLAIN = (handler, payload, converter, context) -> handler.invoke(payload, converter, context);

    void invoke(JobHandlerMethod handler, String payload, PayloadConverter converter, TaskContext context)
            throws Throwable;

    /** Whether the run counts as one whose process has died: nothing is reported, and its lease is left to end. */
    default boolean hasDied() {
        return false;
    }
}
