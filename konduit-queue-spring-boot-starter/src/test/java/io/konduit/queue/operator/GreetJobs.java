package io.konduit.queue.operator;

import io.konduit.queue.JobHandler;

/** A handler whose tasks end at once. */
class GreetJobs {
    @JobHandler("greet")
    void greet(String name) {}
}
