package io.konduit.queue.worker;

import java.time.Duration;

/** Receives the queue of a task that this worker has put back, and when it is due again. Must not block. */
@FunctionalInterface
public interface Later {
    void dueIn(String queue, Duration delay);
}
