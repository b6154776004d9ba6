package io.konduit.queue.store;

import java.time.Duration;

/** T15, R1: removes what has been kept long enough, a small batch at a time. */
public final class RetentionRepository {
    private final QueueDatabase database;

    public RetentionRepository(QueueDatabase database) {
        this.database = database;
    }

    /** What can be pruned. */
    public enum Kind {
        COMPLETED("prune-history"),
        FAILED("prune-failed"),
        INCIDENTS("prune-incidents"),
        AUDIT("prune-audit"),
        QUEUE_AUDIT("prune-queue-audit"),
        WORKERS("prune-workers");

        private final String statement;

        Kind(String statement) {
            this.statement = statement;
        }
    }

    /** Removes one batch of what is older than {@code keep}; returns how many rows. */
    public int prune(Kind kind, Duration keep, int most) {
        return database.control(kind.statement)
                .param("keepMs", keep.toMillis())
                .param("most", most)
                .update();
    }
}
