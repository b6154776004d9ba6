package io.konduit.queue.protocol;

import io.konduit.queue.protocol.Lease.Extension;
import io.konduit.queue.protocol.Lease.Settlement;
import io.konduit.queue.protocol.TaskRow.Status;
import io.konduit.queue.protocol.Transition.Actor;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What must be true at each transition and after each step. It knows which run really holds a task, which no guard does, and so it
 * sees every stale write that a guard lets through.
 */
final class Invariants {
    private final SimulatedWorld world;
    private final Set<Long> startedRuns = new HashSet<>();
    private final RecoveryBound recoveryBound;

    Invariants(SimulatedWorld world, RecoveryBound recoveryBound) {
        this.world = world;
        this.recoveryBound = recoveryBound;
    }

    /** Every change of a row passes here, with the row before and after it. */
    void changed(Transition transition, TaskRow before, TaskRow after, long run) {
        world.trace(() -> transition + (run == 0 ? " " : " by run " + run + ": ") + before + " -> " + after.status);
        world.tally().add(count(transition, after));
        require(transition.allows(before.status, after.status), "state machine", () -> transition + " of " + before);
        if (transition.actor() == Actor.LEASE) {
            require(
                    before.holder == run,
                    "I3",
                    () -> "stale " + transition + " of run " + run + " accepted, " + before.holder + " holds "
                            + before);
        }
        int claimed = transition == Transition.CLAIM ? 1 : 0;
        require(
                after.attempts == before.attempts + claimed && after.epoch == before.epoch + claimed,
                "I4",
                () -> transition + " changed attempts or epoch of " + before + " to " + after);
        require(
                after.zombieCount == before.zombieCount + (transition.chargesCrash() ? 1 : 0),
                "I4",
                () -> transition + " changed the zombie count of " + before + " to " + after);
        require(
                after.incidents == before.incidents + (transition.leavesEvidence() ? 1 : 0),
                "I8",
                () -> transition + " of " + before + " left " + (after.incidents - before.incidents) + " incidents");
        require(
                transition != Transition.COMPLETE || before.completedRun == 0,
                "I7",
                () -> before + " was completed by run " + before.completedRun + " already");
        if (transition == Transition.CLAIM) {
            checkClaim(before, after);
        }
        if (transition == Transition.CLAIM || transition == Transition.EXTEND) {
            require(
                    after.lockTimeoutAt == world.database().clock() + Timing.LOCK_TIMEOUT,
                    "L20",
                    () -> "the lease of " + after + " does not end one lock-timeout from the database's now");
        }
        if (transition == Transition.RECLAIM || transition == Transition.HOLD) {
            checkReclaim(before);
        }
        mark(transition, after);
        require(
                after.crashesSincePerson <= world.quarantineAfter(),
                "I6",
                () -> after + " crashed " + after.crashesSincePerson + " times without a person");
    }

    /** After each step: every task is in exactly one place, and its columns agree with each other. */
    void afterStep(SimulatedStorage rows) {
        for (int id = 0; id < rows.size(); id++) {
            TaskRow row = rows.any(id);
            if ((rows.hot(id) == null) == (rows.history(id) == null)) {
                throw new InvariantViolation("I1", "task " + id + " is not in exactly one of hot and history");
            }
            boolean running = row.status == Status.RUNNING;
            if (running != (row.owner != 0)
                    || running != (row.holder != 0)
                    || row.status.inHistory() == (rows.hot(id) != null)) {
                throw new InvariantViolation("I2", "status and lease of " + row + " do not agree");
            }
            int committed = row.transactional && row.status == Status.COMPLETED ? 1 : 0;
            if (row.completionEffects != committed) {
                throw new InvariantViolation("I9", row + " has " + row.completionEffects + " transactional effects");
            }
        }
    }

    /** A handler starts: nobody else runs the task, unless its lease was cut short by what no worker can foresee. */
    void started(SimulatedRun run) {
        startedRuns.add(run.lease().run());
        for (SimulatedWorker worker : world.workers()) {
            for (SimulatedRun other : worker.runs()) {
                boolean overlaps =
                        other != run && other.lease().task() == run.lease().task() && other.executing();
                boolean same = worker == run.worker();
                boolean foreseeable = world.leasesKeepTheirLength()
                        && !worker.process().paused()
                        && !world.row(run.lease().task()).everAbandoned;
                require(
                        !overlaps || !(same || foreseeable),
                        same ? "dedupe" : "H7",
                        () -> run + " starts while the handler of " + other + " goes on in a living worker");
            }
        }
    }

    void extensionAnswered(Lease lease, Extension answer, TaskRow row) {
        require(
                answer != Extension.LOST || row == null || row.holder != lease.run(),
                "H5",
                () -> lease + " was told that it is lost, but it holds the task");
    }

    void completionAnswered(Lease lease, Settlement answer, TaskRow row) {
        boolean completed = row.status == Status.COMPLETED && row.completedRun == lease.run();
        require(completed == (answer != Settlement.LOST), "F6", () -> lease + " was told " + answer + " about " + row);
    }

    private void checkClaim(TaskRow before, TaskRow after) {
        require(
                before.holder == 0 && before.owner == 0,
                "I2",
                () -> "claimed while run " + before.holder + " holds " + before);
        boolean unfinished = before.lastEnd != null
                && before.lastEnd != Transition.FAIL_RETRY
                && before.lastEnd.actor() != Actor.PERSON
                && startedRuns.contains(before.lastRun);
        require(
                before.reapable || !unfinished,
                "L13",
                () -> after + " runs again without a person after " + before.lastEnd);
    }

    /** Only leases that have ended are taken, and none because of an outage or a jump. */
    private void checkReclaim(TaskRow before) {
        require(
                before.lockTimeoutAt < world.database().clock(),
                "L2",
                () -> "reclaimed before the lease of " + before + " ended");
        require(!before.locked(), "F3", () -> "reclaimed while a fenced transaction was committing for " + before);
        SimulatedWorker owner = world.worker(before.owner);
        if (owner != null && !owner.process().pausedLately() && owner.wants(before.holder)) {
            world.tally().add(Tally.Count.LIVING_OWNERS_RECLAIMED);
            require(!world.faults().onlyTheDatabaseFails(), "H10", () -> "reclaimed from a living worker: " + before);
        }
    }

    private void mark(Transition transition, TaskRow after) {
        if (transition.actor() == Actor.PERSON) {
            after.crashesSincePerson = 0;
        }
        if (transition.chargesCrash()) {
            after.crashesSincePerson++;
            after.everAbandoned |= transition == Transition.ABANDON;
            recoveryBound.taken(after.lastRun);
        }
        if (transition == Transition.EXTEND) {
            recoveryBound.extended(after.holder);
        }
        if (after.status != Status.RUNNING) {
            after.lastEnd = transition;
        }
    }

    private static Tally.Count count(Transition transition, TaskRow after) {
        return switch (transition) {
            case CLAIM -> Tally.Count.CLAIMS;
            case EXTEND -> Tally.Count.EXTENSIONS;
            case CHECKPOINT -> Tally.Count.CHECKPOINTS;
            case COMPLETE -> Tally.Count.COMPLETIONS;
            case FAIL_RETRY, FAIL_FINAL -> Tally.Count.FAILURES;
            case GIVE_BACK -> Tally.Count.GIVEN_BACK;
            case RECLAIM -> Tally.Count.RECLAIMS;
            case HOLD -> after.reapable ? Tally.Count.QUARANTINED : Tally.Count.HELD_NOT_REAPABLE;
            case ABANDON -> Tally.Count.ABANDONED;
            case EFFECT -> Tally.Count.EFFECTS;
            case CANCEL, RELEASE, RETRY, FAIL_BY_HAND -> Tally.Count.OPERATOR_ACTIONS;
        };
    }

    private static void require(boolean condition, String invariant, Supplier<String> message) {
        if (!condition) {
            throw new InvariantViolation(invariant, message.get());
        }
    }
}
