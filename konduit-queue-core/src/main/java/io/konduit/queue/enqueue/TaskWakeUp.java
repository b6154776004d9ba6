package io.konduit.queue.enqueue;

import java.time.Duration;
import java.util.Set;

/** Receives the queues with due tasks, after the commit. Must not block: it runs on the caller's thread. */
@FunctionalInterface
public interface TaskWakeUp {
    /** An idle worker asks at least this often when its next task is due. So nobody is told of tasks that are due later. */
    Duration FORESIGHT = Duration.ofSeconds(30);

    void tasksDue(Set<String> queues);

    /** A task of this queue becomes due after this time. Does nothing by default. */
    default void tasksDueIn(String queue, Duration delay) {}
}
