package io.konduit.queue.store;

import java.time.Duration;
import java.util.List;

/** Moves the time of waiting tasks, for tests of applications. */
public final class WaitingRepository {
    private final QueueDatabase database;

    public WaitingRepository(QueueDatabase database) {
        this.database = database;
    }

    /** The queues that have something waiting. */
    public List<String> queues() {
        return database.control("waiting-queues").query(String.class).list();
    }

    /** Lets everything that waits for its time be due now; returns how many tasks that were. */
    public int makeDue() {
        return database.control("waiting-make-due").update();
    }

    /** Moves the time of every waiting task so much nearer. */
    public int letTimePass(Duration time) {
        return database.control("waiting-move").param("ms", time.toMillis()).update();
    }
}
