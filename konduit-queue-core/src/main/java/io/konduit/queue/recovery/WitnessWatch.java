package io.konduit.queue.recovery;

import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.store.WitnessRepository;
import io.konduit.queue.store.WitnessRepository.EndedLease;
import io.konduit.queue.store.WitnessRepository.Seen;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * K1: ends the leases of workers whose process has died.
 *
 * <ol>
 *   <li>Checks the witnesses of all workers. The first check that misses one records the time in the worker's row, so that
 *       a change of leader does not restart the grace.
 *   <li>Ends the leases of workers whose witness has been missed for the grace, in batches, each one statement with its
 *       incidents. If the node dies, the next check continues.
 *   <li>Lets the reaper take the tasks back. If the node dies before that, the next pass of the reaper does it.
 * </ol>
 *
 * After an outage or a clock jump, no lease is ended for a while (K4, H10). Any number of instances may do this at once.
 */
public final class WitnessWatch {
    private static final Logger log = LoggerFactory.getLogger(WitnessWatch.class);

    private final WitnessRepository witnesses;
    private final OrphanReclaimer reclaimer;
    private final OutageGuard guard;
    private final Terms terms;
    private final LongSupplier nanoTime;

    /**
     * The terms of a check.
     *
     * @param batchSize maximum number of leases that one statement ends
     * @param actor the actor recorded in the incidents
     */
    public record Terms(int batchSize, String actor) {}

    /**
     * The result of a check.
     *
     * @param witnesses how many there are
     * @param ended leases that were ended
     * @param nextIn when a witness that is missed will have been gone for the grace; null when none is missed
     */
    public record Look(int witnesses, int ended, @Nullable Duration nextIn) {}

    public WitnessWatch(
            WitnessRepository witnesses,
            OrphanReclaimer reclaimer,
            OutageGuard guard,
            Terms terms,
            LongSupplier nanoTime) {
        this.witnesses = witnesses;
        this.reclaimer = reclaimer;
        this.guard = guard;
        this.terms = terms;
        this.nanoTime = nanoTime;
    }

    /** Checks every witness once. */
    public Look lookOnce() {
        long sent = nanoTime.getAsLong();
        List<Seen> all = look();
        if (!all.isEmpty()) {
            guard.observed(all.get(0).time(), sent);
        }
        List<UUID> gone = new ArrayList<>();
        Duration nextIn = null;
        for (Seen seen : all) {
            if (seen.goneFor() != null) {
                Duration left = seen.grace().minus(seen.goneFor());
                if (left.isZero() || left.isNegative()) {
                    gone.add(seen.worker());
                } else if (nextIn == null || left.compareTo(nextIn) < 0) {
                    nextIn = left;
                }
            }
        }
        int ended = gone.isEmpty() || !guard.remaining().isZero() ? 0 : end(gone);
        return new Look(all.size(), ended, nextIn);
    }

    private List<Seen> look() {
        try {
            return witnesses.look();
        } catch (RuntimeException e) {
            if (!DatabaseErrors.isDenied(e)) {
                guard.failed();
            }
            throw e;
        }
    }

    private int end(List<UUID> gone) {
        int ended = 0;
        Set<UUID> workers = new HashSet<>();
        List<EndedLease> batch;
        do {
            batch = witnesses.endLeases(gone, terms.actor(), terms.batchSize());
            batch.forEach(lease -> {
                workers.add(lease.worker());
                log.debug("Ended the lease on task {} of worker {}", lease.taskId(), lease.worker());
            });
            ended += batch.size();
        } while (batch.size() == terms.batchSize());
        if (ended > 0) {
            log.info("The sessions of workers {} have ended: ended their {} leases", workers, ended);
            reclaimer.reclaimOnce();
        }
        return ended;
    }
}
