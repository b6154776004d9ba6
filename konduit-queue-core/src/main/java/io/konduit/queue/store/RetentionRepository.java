package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import java.time.Duration;

/** T15, R1: deletes expired rows, a small batch at a time. */
public final class RetentionRepository {
    private final QueueDatabase database;

    public RetentionRepository(QueueDatabase database) {
        this.database = database;
    }

    /** The kinds of rows that can be pruned. */
    public enum Kind {
        FAILED("prune-failed"),
        INCIDENTS("prune-incidents"),
        AUDIT("prune-audit"),
        QUEUE_AUDIT("prune-queue-audit"),
        WORKERS("prune-workers"),
        /** The ledger of schedules, which only a system with schedules has. */
        FIRINGS("prune-firings");

        private final String statement;

        Kind(String statement) {
            this.statement = statement;
        }
    }

    /** Deletes one batch of rows older than {@code keep}; returns how many. */
    public int prune(Kind kind, Duration keep, int limit) {
        return database.control(kind.statement)
                .param("keepMs", keep.toMillis())
                .param("limit", limit)
                .update();
    }
}
