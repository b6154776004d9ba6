package io.konduit.queue.testing;

import io.konduit.queue.Priority;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task as a test sees it.
 *
 * @param runAt when it is due, or when it was
 * @param payload its JSON; read it with {@link EnqueuedTasks#payload} or {@link EnqueuedTasksAssert#payloadsOfType}
 */
public record EnqueuedTask(
        TaskId id,
        String type,
        String queue,
        TaskStatus status,
        Priority priority,
        Instant runAt,
        @Nullable String uniqueKey,
        String payload) {}
