package io.konduit.queue.store;

import io.konduit.queue.TaskId;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Statements that run after a failover. */
public final class FailoverRepository {
    private final QueueDatabase database;

    public FailoverRepository(QueueDatabase database) {
        this.database = database;
    }

    /** The time and the timeline, for an instance without heartbeats. */
    public ServerTime serverTime() {
        return database.control("server-time")
                .query(ReclaimRepository::readServerTime)
                .single();
    }

    /** Which of these tasks are neither live nor in history. */
    public List<TaskId> missing(Collection<TaskId> ids) {
        return database.control("find-missing")
                .param("ids", SqlArrays.bigints(List.copyOf(ids), TaskId::value))
                .query((row, number) -> TaskId.of(row.getLong("id")))
                .list();
    }

    /** Pauses a queue; false when it is paused already, or was paused before by the same actor. */
    public boolean pauseOnce(String queue, String actor, @Nullable String note) {
        return database.control("pause-queue-once")
                        .param("queue", queue)
                        .param("actor", actor)
                        .param("note", note)
                        .update()
                == 1;
    }
}
