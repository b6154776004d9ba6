package io.konduit.queue;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Puts tasks into the queue. Every method joins the transaction of the caller on the queue's data source: the task is
 * there when it commits and was never there when it rolls back. Without a transaction each call commits by itself.
 */
public interface TaskQueue {

    /**
     * Enqueues a task that is due now.
     *
     * @throws InvalidTaskException if the type is blank or too long
     * @throws InvalidPayloadException if the payload cannot be stored as JSON
     */
    TaskId enqueue(String type, @Nullable Object payload);

    /** Enqueues a task; the id is that of the live task with the same unique key when there is one. */
    TaskId enqueue(TaskRequest request);

    /** Enqueues many tasks at once, all or none, and returns their ids in the order of the requests. */
    List<TaskId> enqueueAll(Collection<TaskRequest> requests);

    /** As {@link #enqueue(TaskRequest)}, and says whether the task is new. */
    Submission submit(TaskRequest request);

    /** Reads a task, live or finished. */
    Optional<Task> find(TaskId id);

    /**
     * Takes a task back. A running handler is interrupted after the commit: in the same JVM at once, elsewhere within two
     * seconds, or within a heartbeat where the worker cannot {@code LISTEN}. What it did stays done, but its result is
     * refused.
     *
     * @return whether this call cancelled it; false when it is unknown, completed or cancelled already
     */
    boolean cancel(TaskId id);

    /**
     * Moves the start of a task that waits, be it for its time, for a slot or for its next attempt. A start in the past
     * means now. Attempts, priority and payload stay as they are.
     *
     * @return whether this call moved it; false when it is unknown, running, held or ended
     */
    boolean reschedule(TaskId id, Instant runAt);
}
