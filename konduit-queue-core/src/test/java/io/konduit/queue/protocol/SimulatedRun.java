package io.konduit.queue.protocol;

import io.konduit.queue.protocol.Lease.Settlement;

/** One claim in the memory of its worker, from the reply until its outcome is written. */
final class SimulatedRun {
    /** What the worker wants to report about a run. */
    enum Outcome {
        COMPLETED,
        FAILED,
        FAILED_FOR_GOOD,
        GIVEN_BACK
    }

    private final SimulatedWorld world;
    private final SimulatedWorker worker;
    private final SimulatedProcess process;
    private final Lease lease;
    private final TaskRow task;
    /** A handler that does not stop at once when it is interrupted. */
    private final boolean stubborn;

    private long confirmedAt;
    private boolean started;
    private boolean interrupted;
    private boolean dropped;
    private boolean settled;
    private int inFlight;
    private Outcome outcome;

    SimulatedRun(SimulatedWorker worker, SimulatedWorld world, Lease lease, long sentAt) {
        this.world = world;
        this.worker = worker;
        this.process = worker.process();
        this.lease = lease;
        this.task = world.row(lease.task());
        this.stubborn = world.random(4) == 0;
        confirm(sentAt);
    }

    /** The lease is good for one lock-timeout from the moment before the claim or extension was sent. */
    void confirm(long sentAt) {
        confirmedAt = sentAt;
        if (world.sabotage() != Sabotage.NO_SELF_FENCING) {
            process.after(deadline() - process.nanoTime(), this::fenceItself);
        }
    }

    /** Starts the handler, unless the lease may have ended while the task waited for its turn. */
    void start() {
        if (over() || outcome != null) {
            return;
        }
        if (process.nanoTime() >= deadline() && world.sabotage() != Sabotage.LATE_START) {
            stop();
            return;
        }
        started = true;
        world.trace(() -> process + " starts " + lease);
        world.invariants().started(this);
        new SimulatedHandler(world, this).start();
    }

    /** The answer to an extension or a report was "lost", or the worker has the task in a newer run: nothing is reported any more. */
    void drop() {
        dropped = true;
        interrupted = true;
    }

    /** What can be given back is; work that has begun and must not run twice is left to the reaper, which holds it. */
    void stop() {
        interrupted = true;
        boolean mayRunAgain = task.reapable || !started || world.sabotage() == Sabotage.GIVE_BACK_STARTED_NON_REAPABLE;
        if (mayRunAgain && !(started && stubborn)) {
            worker.report(this, Outcome.GIVEN_BACK);
        } else {
            dropped = true;
        }
    }

    Settlement settle(SimulatedTable table) {
        return switch (outcome) {
            case COMPLETED -> table.complete(lease);
            case FAILED -> table.fail(lease, false);
            case FAILED_FOR_GOOD -> table.fail(lease, true);
            case GIVEN_BACK -> table.giveBack(lease, started ? 0 : 100 * Timing.MILLISECOND);
        };
    }

    private void fenceItself() {
        long remaining = deadline() - process.nanoTime();
        if (over() || outcome != null || interrupted) {
            return;
        }
        if (remaining > 0) {
            confirm(confirmedAt);
            return;
        }
        world.tally().add(Tally.Count.SELF_FENCED);
        world.trace(() -> process + " interrupts " + lease + " before its lease can end");
        stop();
    }

    boolean needsExtension(long now, boolean evenYoung) {
        return wanted() && (evenYoung || now - confirmedAt >= Timing.LOCK_TIMEOUT / 3);
    }

    /** Whether the worker is still at it: running the handler or about to report. */
    boolean wanted() {
        return !over() && (!interrupted || outcome != null);
    }

    boolean reporting() {
        return outcome != null;
    }

    boolean executing() {
        return started && !interrupted && !over() && outcome == null;
    }

    /** Whether a statement for this run could still be sent or be on its way. */
    boolean mayStillWrite() {
        return !over() || inFlight > 0;
    }

    boolean over() {
        return dropped || settled;
    }

    void report(Outcome newOutcome) {
        outcome = newOutcome;
    }

    void settled() {
        settled = true;
    }

    void sent() {
        inFlight++;
    }

    void answered() {
        inFlight--;
    }

    boolean dropped() {
        return dropped;
    }

    boolean interrupted() {
        return interrupted;
    }

    boolean stubborn() {
        return stubborn;
    }

    Lease lease() {
        return lease;
    }

    TaskRow task() {
        return task;
    }

    SimulatedWorker worker() {
        return worker;
    }

    private long deadline() {
        return confirmedAt + Timing.LOCK_TIMEOUT - Timing.SELF_FENCING_MARGIN;
    }

    @Override
    public String toString() {
        return lease + " in " + process;
    }
}
