package io.konduit.queue.protocol;

import io.konduit.queue.protocol.Lease.Extension;
import io.konduit.queue.protocol.Lease.Settlement;
import io.konduit.queue.protocol.TaskRow.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The transitions that workers make: one method per statement, each atomic, each with its guard on the row as it is at that moment,
 * all on the database clock.
 */
final class SimulatedTable {
    private final SimulatedStorage rows;
    private final LongSupplier clock;
    private final Invariants invariants;
    private final Sabotage sabotage;
    private long runs;

    SimulatedTable(SimulatedStorage rows, LongSupplier clock, Invariants invariants, Sabotage sabotage) {
        this.rows = rows;
        this.clock = clock;
        this.invariants = invariants;
        this.sabotage = sabotage;
    }

    /** T2: takes the tasks that are due, oldest first, leaving out those of which the caller still has a run. */
    List<Lease> claim(long owner, int limit, Collection<Integer> except, long workerClock) {
        rows.begin();
        List<Lease> leases = new ArrayList<>(limit);
        for (TaskRow row = oldestDue(except); row != null && leases.size() < limit; row = oldestDue(except)) {
            long base = sabotage == Sabotage.LEASE_FROM_WORKER_CLOCK ? workerClock : clock.getAsLong();
            TaskRow claimed = row;
            rows.change(Transition.CLAIM, claimed, ++runs, () -> {
                claimed.status = Status.RUNNING;
                claimed.attempts++;
                claimed.epoch++;
                claimed.owner = owner;
                claimed.lockedAt = clock.getAsLong();
                claimed.lockTimeoutAt = base + Timing.LOCK_TIMEOUT;
                claimed.holder = runs;
                claimed.lastRun = runs;
            });
            leases.add(new Lease(row.id, row.epoch, owner, runs));
        }
        return leases;
    }

    /** T3: extends the lease; a row that somebody has locked is busy, never lost. */
    Extension extend(Lease lease) {
        TaskRow row = rows.hot(lease.task());
        Extension answer = Extension.LOST;
        if (row != null && row.locked()) {
            answer = sabotage == Sabotage.BUSY_TAKEN_AS_LOST ? Extension.LOST : Extension.BUSY;
        } else if (holds(row, lease)) {
            rows.begin();
            rows.change(
                    Transition.EXTEND,
                    row,
                    lease.run(),
                    () -> row.lockTimeoutAt = clock.getAsLong() + Timing.LOCK_TIMEOUT);
            answer = Extension.EXTENDED;
        }
        invariants.extensionAnswered(lease, answer, row);
        return answer;
    }

    /** T4, with the handler's own writes in the same transaction when it is transactional. */
    Settlement complete(Lease lease) {
        TaskRow row = rows.hot(lease.task());
        Settlement answer = Settlement.APPLIED;
        if (holds(row, lease)) {
            rows.begin();
            rows.change(Transition.COMPLETE, row, lease.run(), () -> {
                row.completionEffects += row.transactional ? 1 : 0;
                row.finishedBy = row.owner;
                row.completedRun = lease.run();
                rows.finish(row, Status.COMPLETED);
            });
        } else {
            if (sabotage == Sabotage.EFFECT_KEPT_WHEN_COMPLETION_IS_REFUSED && row != null && row.transactional) {
                row.completionEffects++;
            }
            answer = completedBefore(lease) ? Settlement.ALREADY_APPLIED : Settlement.LOST;
        }
        invariants.completionAnswered(lease, answer, rows.any(lease.task()));
        return answer;
    }

    /** T5 and T6. */
    Settlement fail(Lease lease, boolean fatal) {
        TaskRow row = rows.hot(lease.task());
        if (!holds(row, lease)) {
            return settledBefore(row, lease);
        }
        boolean last = fatal || row.attempts >= row.maxAttempts;
        rows.begin();
        rows.change(last ? Transition.FAIL_FINAL : Transition.FAIL_RETRY, row, lease.run(), () -> {
            row.status = last ? Status.FAILED : Status.PENDING;
            row.runAt = clock.getAsLong() + (50 * Timing.MILLISECOND << Math.min(row.attempts, 4));
            row.clearLease();
        });
        return Settlement.APPLIED;
    }

    /** T9: the attempt is not charged, and attempts still never fall. */
    Settlement giveBack(Lease lease, long delay) {
        TaskRow row = rows.hot(lease.task());
        if (!holds(row, lease)) {
            return settledBefore(row, lease);
        }
        rows.begin();
        rows.change(Transition.GIVE_BACK, row, lease.run(), () -> {
            row.status = Status.PENDING;
            row.maxAttempts++;
            row.runAt = clock.getAsLong() + delay;
            row.clearLease();
        });
        return Settlement.APPLIED;
    }

    /** T16. */
    boolean checkpoint(Lease lease) {
        TaskRow row = rows.hot(lease.task());
        if (!holds(row, lease) || row.locked()) {
            return false;
        }
        rows.begin();
        rows.change(Transition.CHECKPOINT, row, lease.run(), () -> row.lastCheckpointAt = clock.getAsLong());
        return true;
    }

    /** The guard of a fenced transaction: holds the row until the commit, so that nobody can take the task in between. */
    boolean guardEffect(Lease lease, long transaction) {
        TaskRow row = rows.hot(lease.task());
        boolean held = holds(row, lease) && (!row.locked() || row.lockedByTransaction == transaction);
        if (held && sabotage != Sabotage.EFFECT_GUARD_WITHOUT_LOCK) {
            row.lockedByTransaction = transaction;
        }
        return held;
    }

    /** The commit of a fenced transaction; false when the server has rolled it back meanwhile. */
    boolean commitEffect(Lease lease, long transaction) {
        TaskRow row = rows.any(lease.task());
        boolean open = row.lockedByTransaction == transaction;
        if (open || sabotage == Sabotage.EFFECT_GUARD_WITHOUT_LOCK) {
            rows.begin();
            rows.change(Transition.EFFECT, row, lease.run(), () -> {
                row.effects++;
                row.lockedByTransaction = 0;
            });
            return true;
        }
        return false;
    }

    void rollBackEffect(int task, long transaction) {
        TaskRow row = rows.hot(task);
        if (row != null && row.lockedByTransaction == transaction) {
            row.lockedByTransaction = 0;
        }
    }

    boolean locked(int task) {
        TaskRow row = rows.hot(task);
        return row != null && row.locked();
    }

    private TaskRow oldestDue(Collection<Integer> except) {
        TaskRow oldest = null;
        for (int id = 0; id < rows.size(); id++) {
            TaskRow row = rows.hot(id);
            if (row != null
                    && row.status == Status.PENDING
                    && row.runAt <= clock.getAsLong()
                    && !except.contains(id)
                    && (oldest == null || row.runAt < oldest.runAt)) {
                oldest = row;
            }
        }
        return oldest;
    }

    private boolean holds(TaskRow row, Lease lease) {
        return row != null
                && row.status == Status.RUNNING
                && (sabotage == Sabotage.GUARD_WITHOUT_EPOCH || row.epoch == lease.epoch())
                && (sabotage == Sabotage.GUARD_WITHOUT_OWNER || row.owner == lease.owner());
    }

    /** The newest completion of this very lease is in history: its reply was lost. A cancelled task is there as well. */
    private boolean completedBefore(Lease lease) {
        TaskRow row = rows.history(lease.task());
        return row != null
                && sabotage != Sabotage.LOST_REPLY_NOT_LOOKED_UP
                && (row.status == Status.COMPLETED || sabotage == Sabotage.CANCELLED_TAKEN_FOR_COMPLETED)
                && row.epoch == lease.epoch()
                && row.finishedBy == lease.owner();
    }

    /** A lease that ended in its own epoch without an incident was ended by its worker: the reply to that was lost. */
    private Settlement settledBefore(TaskRow row, Lease lease) {
        boolean settled = row != null
                && row.status != Status.RUNNING
                && row.epoch == lease.epoch()
                && row.incidentEpoch != lease.epoch();
        return settled ? Settlement.ALREADY_APPLIED : Settlement.LOST;
    }
}
