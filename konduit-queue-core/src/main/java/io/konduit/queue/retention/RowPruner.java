package io.konduit.queue.retention;

import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.store.RetentionRepository;
import io.konduit.queue.store.RetentionRepository.Kind;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes expired rows of one kind, in batches that never wait. If the node dies between two batches, the next pass
 * continues.
 */
public final class RowPruner {
    private static final Logger log = LoggerFactory.getLogger(RowPruner.class);

    private final RetentionRepository rows;
    private final Kind kind;
    private final Duration keep;
    private final int batchSize;

    /**
     * @param keep how long a row is kept; zero forever
     */
    public RowPruner(RetentionRepository rows, Kind kind, Duration keep, int batchSize) {
        this.rows = rows;
        this.kind = kind;
        this.keep = keep;
        this.batchSize = batchSize;
    }

    /** Keeps the rows of this kind for as long as the settings say. */
    public static RowPruner of(RetentionRepository rows, Kind kind, RetentionSettings settings) {
        return new RowPruner(rows, kind, keep(kind, settings), settings.batchSize());
    }

    /** How long rows of that kind are kept; zero forever. */
    public static Duration keep(Kind kind, RetentionSettings settings) {
        return switch (kind) {
            case FAILED -> settings.failed();
            case INCIDENTS, AUDIT, QUEUE_AUDIT -> settings.incidents();
            case WORKERS -> settings.workers();
            case FIRINGS -> settings.firings();
        };
    }

    /** One pass; returns how many rows were deleted. */
    public int pruneOnce() {
        if (keep.isZero()) {
            return 0;
        }
        int all = 0;
        int removed;
        do {
            removed = rows.prune(kind, keep, batchSize);
            all += removed;
        } while (removed == batchSize && !Thread.currentThread().isInterrupted());
        if (all > 0) {
            log.info("Removed {} rows ({})", all, kind);
        }
        return all;
    }
}
