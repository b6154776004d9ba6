package io.konduit.queue.enqueue;

import java.util.Set;

/** Receives the queues with due tasks, after the commit. Must not block: it runs on the caller's thread. */
@FunctionalInterface
public interface TaskWakeUp {
    void tasksDue(Set<String> queues);
}
