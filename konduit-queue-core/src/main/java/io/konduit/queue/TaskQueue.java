package io.konduit.queue;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues and manages tasks. Every method joins the caller's transaction on the queue's data source: a task exists
 * when that transaction commits, and never existed when it rolls back. Without a transaction, each call commits on its
 * own.
 */
public interface TaskQueue {

    /**
     * Enqueues a task that is due now.
     *
     * @throws InvalidTaskException if the type is blank or too long
     * @throws InvalidPayloadException if the payload cannot be stored as JSON
     */
    TaskId enqueue(String type, @Nullable Object payload);

    /**
     * Enqueues a task that is due now. The class of the payload says its type. A {@link TaskRequest} is enqueued as
     * such.
     *
     * @throws InvalidTaskException if the class has no {@link TaskType}, as with a text: two arguments name the type
     * @throws InvalidPayloadException if the payload cannot be stored as JSON
     */
    default TaskId enqueue(Object payload) {
        return enqueue(payload instanceof TaskRequest request ? request : TaskRequest.of(payload));
    }

    /** Enqueues a task. If a live task has the same unique key, returns the id of that task instead. */
    TaskId enqueue(TaskRequest request);

    /** Enqueues many tasks at once, all or none, and returns their ids in the order of the requests. */
    List<TaskId> enqueueAll(Collection<TaskRequest> requests);

    /** As {@link #enqueue(TaskRequest)}, and reports whether a new task was created. */
    Submission submit(TaskRequest request);

    /** Reads a task, live or finished. */
    Optional<Task> find(TaskId id);

    /**
     * Cancels a task. A running handler is interrupted after the commit: immediately in the same JVM, within two
     * seconds in another one, or within one heartbeat where the worker cannot {@code LISTEN}. Effects of the handler
     * are not undone, but its result is refused.
     *
     * @return whether this call cancelled the task; false when it is unknown, or already completed or cancelled
     */
    boolean cancel(TaskId id);

    /**
     * Changes the start time of a pending task, whether it waits for its start time, a free slot or its next attempt. A
     * time in the past means now. Attempts, priority and payload do not change.
     *
     * @return whether this call rescheduled the task; false when it is unknown, running, held or finished
     */
    boolean reschedule(TaskId id, Instant runAt);
}
