package io.konduit.queue.schedule;

import io.konduit.queue.retention.RowPruner;
import io.konduit.queue.settings.DurationText;
import io.konduit.queue.store.ScheduleRepository;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the leader does once a minute where there are schedules: pauses undeclared ones (P6), and prunes the ledger. */
public final class ScheduleUpkeep {
    static final Duration INTERVAL = Duration.ofMinutes(1);

    private static final Logger log = LoggerFactory.getLogger(ScheduleUpkeep.class);

    private final ScheduleRepository schedules;
    private final Terms terms;
    private final RowPruner ledger;
    private final LongSupplier nanoTime;
    private @Nullable Long doneNanos;
    private @Nullable Long prunedNanos;

    /**
     * When it does what.
     *
     * @param staleThreshold a worker that has been silent for longer declares nothing
     * @param undeclaredAfter how long a schedule fires on that no worker declares
     * @param pruneInterval how often the ledger is pruned
     * @param actor recorded with what it pauses
     */
    public record Terms(Duration staleThreshold, Duration undeclaredAfter, Duration pruneInterval, String actor) {}

    public ScheduleUpkeep(ScheduleRepository schedules, Terms terms, RowPruner ledger, LongSupplier nanoTime) {
        this.schedules = schedules;
        this.terms = terms;
        this.ledger = ledger;
        this.nanoTime = nanoTime;
    }

    /** How long until it is due; zero or less if it is. */
    Duration untilDue() {
        return doneNanos == null ? Duration.ZERO : INTERVAL.minusNanos(nanoTime.getAsLong() - doneNanos);
    }

    /** One pass. If the node dies in between, the next leader does it again. */
    void run() {
        doneNanos = nanoTime.getAsLong();
        List<String> paused = schedules.pauseUndeclared(terms.staleThreshold(), terms.undeclaredAfter(), terms.actor());
        if (!paused.isEmpty()) {
            log.warn(
                    "No live worker has declared the schedules {} for {}: they are paused until one does, or an operator resumes them",
                    paused,
                    DurationText.of(terms.undeclaredAfter()));
        }
        if (prunedNanos == null
                || nanoTime.getAsLong() - prunedNanos >= terms.pruneInterval().toNanos()) {
            prunedNanos = nanoTime.getAsLong();
            ledger.pruneOnce();
        }
    }
}
