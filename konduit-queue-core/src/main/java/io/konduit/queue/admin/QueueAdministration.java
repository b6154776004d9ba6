package io.konduit.queue.admin;

import org.jspecify.annotations.Nullable;

/**
 * Pauses and resumes queues. The decision is a row in the database, so it outlives every instance; each worker sees it
 * with its next claim. Running tasks continue.
 */
public interface QueueAdministration {
    /** Workers stop claiming tasks of this queue. */
    void pause(String queue, String actor, @Nullable String note);

    /** Workers claim tasks of this queue again. */
    void resume(String queue, String actor, @Nullable String note);
}
