package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import java.time.Duration;
import java.util.List;

/** Moves the start of waiting tasks, for tests of applications. */
public final class TimeShiftRepository {
    private final QueueDatabase database;

    public TimeShiftRepository(QueueDatabase database) {
        this.database = database;
    }

    /** The queues that have waiting tasks. */
    public List<String> queues() {
        return database.control("waiting-queues").query(String.class).list();
    }

    /** Makes every waiting task due now; returns how many there were. */
    public int makeDue() {
        return database.control("waiting-make-due").update();
    }

    /** Moves the start of every waiting task earlier by this much. */
    public int letTimePass(Duration time) {
        return database.control("waiting-move").param("ms", time.toMillis()).update();
    }
}
