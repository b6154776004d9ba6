package io.konduit.queue.review;

import io.konduit.queue.jdbc.QueueDatabase;
import org.jspecify.annotations.Nullable;

/** Which queues are paused, and by whom. A decision is one statement with its audit row. */
public final class PauseRepository {
    private final QueueDatabase database;

    public PauseRepository(QueueDatabase database) {
        this.database = database;
    }

    /** Pauses a queue; false when it is paused already. */
    public boolean pause(String queue, String actor, @Nullable String note) {
        return database.joining(() -> decide("pause-queue", queue, actor, note) == 1);
    }

    /** Resumes a queue; false when it is not paused. */
    public boolean resume(String queue, String actor, @Nullable String note) {
        return database.joining(() -> decide("resume-queue", queue, actor, note) == 1);
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
