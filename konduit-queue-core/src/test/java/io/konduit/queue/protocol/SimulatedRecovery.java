package io.konduit.queue.protocol;

import io.konduit.queue.protocol.TaskRow.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** The transitions that reapers and people make, each of which leaves an incident; none of them waits for a locked row. */
final class SimulatedRecovery {
    private final SimulatedStorage rows;
    private final LongSupplier clock;
    private final Sabotage sabotage;
    private final int quarantineAfter;

    SimulatedRecovery(SimulatedStorage rows, LongSupplier clock, Sabotage sabotage, int quarantineAfter) {
        this.rows = rows;
        this.clock = clock;
        this.sabotage = sabotage;
        this.quarantineAfter = quarantineAfter;
    }

    /** What a reaper that does not look twice would take back later. */
    List<Integer> orphans() {
        List<Integer> found = new ArrayList<>();
        for (int id = 0; id < rows.size(); id++) {
            if (orphan(rows.hot(id), clock.getAsLong())) {
                found.add(id);
            }
        }
        return found;
    }

    /** T7 and T8 for every lease that had ended at {@code cutoff}, a reading of the database clock, and still has now. */
    int reclaim(long cutoff, List<Integer> found) {
        rows.begin();
        int reclaimed = 0;
        for (int id = 0; id < rows.size(); id++) {
            TaskRow row = rows.hot(id);
            boolean take =
                    switch (sabotage) {
                        case RECLAIM_WITHOUT_STATUS_CHECK -> row != null && found.contains(id);
                        case RECLAIM_WITHOUT_EXPIRY_CHECK ->
                            row != null && row.status == Status.RUNNING && found.contains(id);
                        case CUTOFF_IS_STATEMENT_CLOCK -> orphan(row, clock.getAsLong());
                        default -> orphan(row, cutoff);
                    };
            if (take) {
                takeAway(row, held(row) ? Transition.HOLD : Transition.RECLAIM);
                reclaimed++;
            }
        }
        return reclaimed;
    }

    /** T10: takes the lease of a task without progress although its worker extends it. */
    void abandon(long cutoff) {
        rows.begin();
        for (int id = 0; id < rows.size(); id++) {
            TaskRow row = rows.hot(id);
            if (row != null
                    && row.status == Status.RUNNING
                    && !row.locked()
                    && Math.max(row.lockedAt, row.lastCheckpointAt) < cutoff - Timing.ABANDONED_THRESHOLD) {
                takeAway(row, Transition.ABANDON);
            }
        }
    }

    /** T11 to T14: what a person does; nothing happens when the task is not in a state for it or its row is locked. */
    void byHand(Transition transition, int task) {
        TaskRow row = rows.hot(task);
        Status after =
                switch (transition) {
                    case CANCEL -> Status.CANCELLED;
                    case FAIL_BY_HAND -> Status.FAILED;
                    default -> Status.PENDING;
                };
        if (row == null || row.locked() || !transition.allows(row.status, after)) {
            return;
        }
        rows.begin();
        rows.change(transition, row, 0, () -> {
            recordIncident(row);
            if (transition == Transition.CANCEL) {
                row.finishedBy = row.owner;
                rows.finish(row, after);
                return;
            }
            row.status = after;
            row.runAt = clock.getAsLong();
            if (transition == Transition.RELEASE) {
                row.quarantineAt = row.zombieCount + quarantineAfter;
            } else if (transition == Transition.RETRY) {
                row.maxAttempts = row.attempts + 1;
            }
        });
    }

    private boolean orphan(TaskRow row, long cutoff) {
        return row != null
                && row.status == Status.RUNNING
                && row.lockTimeoutAt < Math.min(cutoff, clock.getAsLong())
                && (!row.locked() || sabotage == Sabotage.RECLAIM_OF_LOCKED_ROWS);
    }

    private boolean held(TaskRow row) {
        boolean notReapable = !row.reapable && sabotage != Sabotage.REAP_NON_REAPABLE;
        return notReapable || (row.zombieCount + 1 >= row.quarantineAt && sabotage != Sabotage.NO_QUARANTINE);
    }

    private void takeAway(TaskRow row, Transition transition) {
        rows.change(transition, row, 0, () -> {
            row.status = held(row) ? Status.HELD : Status.PENDING;
            row.zombieCount++;
            row.attempts -= sabotage == Sabotage.LOWER_ATTEMPTS_ON_RECLAIM ? 1 : 0;
            row.runAt = clock.getAsLong() + (20 * Timing.MILLISECOND << Math.min(row.zombieCount, 5));
            recordIncident(row);
            row.clearLease();
        });
    }

    private static void recordIncident(TaskRow row) {
        row.incidents++;
        row.incidentEpoch = row.epoch;
    }
}
