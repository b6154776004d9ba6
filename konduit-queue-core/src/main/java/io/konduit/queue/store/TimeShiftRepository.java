package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Moves the start of waiting tasks and the end of leases, for tests of applications. */
public final class TimeShiftRepository {
    private final QueueDatabase database;

    public TimeShiftRepository(QueueDatabase database) {
        this.database = database;
    }

    /** The queues that have waiting tasks. */
    public List<String> queues() {
        return database.control("waiting-queues").query(String.class).list();
    }

    /** The task that a worker of all queues would claim first. */
    public Optional<Long> firstDue() {
        return database.control("waiting-first-due").query(Long.class).optional();
    }

    /** Makes every waiting task due now; returns how many there were. */
    public int makeDue() {
        return database.control("waiting-make-due").update();
    }

    /** Moves the start of every waiting task earlier by this much. */
    public int letTimePass(Duration time) {
        return database.control("waiting-move").param("ms", time.toMillis()).update();
    }

    /** Makes one waiting task due now, before all others. */
    public boolean makeDue(long taskId) {
        return database.control("waiting-make-first").param("id", taskId).update() == 1;
    }

    /**
     * Acts as if the lease on a running task had ended longer ago than the grace.
     *
     * @return false if the task does not run, or if a transaction holds its row
     */
    public boolean endLease(long taskId, Duration grace) {
        return database.control("lease-end")
                        .param("id", taskId)
                        .param("graceMs", grace.toMillis())
                        .update()
                == 1;
    }
}
