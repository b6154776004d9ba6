package io.konduit.queue.enqueue;

import java.util.Set;

/** Told after commit which queues have got something due. Must not block: it runs on the caller's thread. */
@FunctionalInterface
public interface TaskWakeUp {
    void tasksDue(Set<String> queues);
}
