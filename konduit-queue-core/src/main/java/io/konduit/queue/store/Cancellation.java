package io.konduit.queue.store;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** T11 in the caller's transaction. Workers that hold one of the tasks are notified after its commit. */
public final class Cancellation {
    private final QueueDatabase database;
    private final ControlMessages messages;

    public Cancellation(QueueDatabase database, ControlMessages messages) {
        this.database = database;
        this.messages = messages;
    }

    private record Cancelled(TaskId id, boolean hadOwner) {}

    /** Cancels the tasks that have not ended; returns how many. */
    public int cancel(Collection<Long> ids, String actor, @Nullable String note) {
        List<Cancelled> cancelled = database.application("cancel")
                .param("ids", SqlArrays.bigints(ids, id -> id))
                .param("actor", actor)
                .param("note", note)
                .query((row, number) -> new Cancelled(TaskId.of(row.getLong("task_id")), row.getBoolean("had_owner")))
                .list();
        if (!cancelled.isEmpty()) {
            // a separate statement: it sees the incident of a reclaim that the first one had to wait for
            database.application("resolve-incidents")
                    .param("lockTimeout", null)
                    .param("ids", SqlArrays.bigints(cancelled, task -> task.id().value()))
                    .param("outcome", TaskStatus.CANCELLED.name())
                    .update();
        }
        cancelled.stream()
                .filter(Cancelled::hadOwner)
                .forEach(task -> messages.sendAfterCommit(ControlMessage.cancelled(task.id())));
        return cancelled.size();
    }
}
