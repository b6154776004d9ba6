package io.konduit.queue.store;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which queues are paused, and who decided that. A decision is one statement with its audit row. */
public final class PauseRepository {
    private final QueueDatabase database;

    public PauseRepository(QueueDatabase database) {
        this.database = database;
    }

    /** A queue of which nothing is claimed. */
    public record PausedQueue(
            String name,
            Instant pausedAt,
            String pausedBy,
            @Nullable String note) {}

    /** Somebody paused or resumed a queue. */
    public record Decision(
            long id,
            String queue,
            String action,
            String actor,
            @Nullable String note,
            Instant at) {}

    /** Stops the claims of a queue; false when it is paused already. */
    public boolean pause(String queue, String actor, @Nullable String note) {
        return database.joining(() -> decide("pause-queue", queue, actor, note) == 1);
    }

    /** Lets a queue go on; false when it is not paused. */
    public boolean resume(String queue, String actor, @Nullable String note) {
        return database.joining(() -> decide("resume-queue", queue, actor, note) == 1);
    }

    public List<PausedQueue> paused(int most) {
        return database.application("list-paused")
                .param("most", most)
                .query((row, number) -> new PausedQueue(
                        row.getString("name"),
                        row.getTimestamp("paused_at").toInstant(),
                        row.getString("paused_by"),
                        row.getString("note")))
                .list();
    }

    /** The decisions before {@code beforeId}, newest first. */
    public List<Decision> decisions(long beforeId, int most) {
        return database.application("list-queue-audit")
                .param("beforeId", beforeId)
                .param("most", most)
                .query((row, number) -> new Decision(
                        row.getLong("id"),
                        row.getString("queue"),
                        row.getString("action"),
                        row.getString("actor"),
                        row.getString("note"),
                        row.getTimestamp("at").toInstant()))
                .list();
    }

    /** Whether the queue is paused, served, or has tasks that wait or run. */
    public boolean isKnown(String queue) {
        return database.application("find-queue")
                .param("queue", queue)
                .query(Boolean.class)
                .single();
    }

    private int decide(String statement, String queue, String actor, @Nullable String note) {
        return database.application(statement)
                .param("queue", queue)
                .param("actor", actor)
                .param("note", note)
                .update();
    }
}
