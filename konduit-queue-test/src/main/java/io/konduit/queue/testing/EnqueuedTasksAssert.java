package io.konduit.queue.testing;

import io.konduit.queue.TaskStatus;
import java.util.List;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ListAssert;

/** Assertions on {@link EnqueuedTasks}. Each reads the database at that time. */
public final class EnqueuedTasksAssert extends AbstractAssert<EnqueuedTasksAssert, EnqueuedTasks> {

    EnqueuedTasksAssert(EnqueuedTasks actual) {
        super(actual, EnqueuedTasksAssert.class);
    }

    /** Those of this type, waiting or done. */
    public ListAssert<EnqueuedTask> ofType(String type) {
        return Assertions.assertThat(tasksOfType(type)).as("tasks of type '%s'", type);
    }

    /** The payloads of those of this type, read as a handler would. */
    public <T> ListAssert<T> payloadsOfType(String type, Class<T> payloadType) {
        return Assertions.assertThat(tasksOfType(type).stream()
                        .map(task -> actual.payload(task, payloadType))
                        .toList())
                .as("payloads of type '%s'", type);
    }

    /** Those with this status, of any type. */
    public ListAssert<EnqueuedTask> withStatus(TaskStatus status) {
        return Assertions.assertThat(actual.all().stream()
                        .filter(task -> task.status() == status)
                        .toList())
                .as("tasks that are %s", status);
    }

    /** There is none at all. */
    public EnqueuedTasksAssert isEmpty() {
        Assertions.assertThat(actual.all()).as("tasks").isEmpty();
        return this;
    }

    private List<EnqueuedTask> tasksOfType(String type) {
        return actual.all().stream().filter(task -> task.type().equals(type)).toList();
    }
}
