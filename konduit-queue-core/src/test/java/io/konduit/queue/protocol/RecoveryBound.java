package io.konduit.queue.protocol;

import java.util.HashMap;
import java.util.Map;

/**
 * L7: while nothing is broken and an instance is alive, no orphan stays one for longer than the bound; a clock set back adds what it
 * was set back by.
 */
final class RecoveryBound {
    private final SimulatedWorld world;
    private final Map<Long, Long> orphanedSince = new HashMap<>();

    RecoveryBound(SimulatedWorld world) {
        this.world = world;
    }

    /** Looks for tasks that are RUNNING although nobody runs them. */
    void probe(SimulatedStorage rows) {
        if (world.workers().isEmpty()) {
            orphanedSince.clear();
            return;
        }
        for (int id = 0; id < rows.size(); id++) {
            TaskRow row = rows.any(id);
            if (row.status != TaskRow.Status.RUNNING) {
                continue;
            }
            SimulatedWorker owner = world.worker(row.owner);
            if (owner != null && owner.wants(row.holder)) {
                orphanedSince.remove(row.holder);
            } else {
                long since = orphanedSince.computeIfAbsent(row.holder, holder -> world.now());
                if (world.now() - since
                        > Timing.RECOVERY_BOUND + world.database().setBackBy()) {
                    throw new InvariantViolation("L7", row + " is an orphan since " + Timing.format(since));
                }
            }
        }
    }

    /** A late statement of a dead worker has extended its lease: the bound counts from there. */
    void extended(long run) {
        orphanedSince.remove(run);
    }

    /** A reaper has taken the task of this run. */
    void taken(long run) {
        if (orphanedSince.remove(run) != null) {
            world.tally().add(Tally.Count.ORPHANS_RECOVERED);
        }
    }
}
