package io.konduit.queue.worker;

import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Lease;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One lease of this worker, from the claim until its outcome is written.
 *
 * <p>Interrupts reach only the run they are meant for: the thread is interrupted under this object's lock while it
 * runs the handler, and its flag is cleared under the same lock when the handler has ended.
 */
final class RunningTask {
    /** Why a run should end early. */
    enum End {
        /** Another worker or the reaper has the row. The result is dropped. */
        LOST(true, "its lease is lost"),
        /** The task was cancelled. Its result is dropped. */
        CANCELLED(true, "the task was cancelled"),
        /** This worker claimed the same task again. The older run is never reported. */
        SUPERSEDED(true, "its lease is lost"),
        /** Given back when the drain time was over. */
        GIVEN_BACK(true, "the worker stops"),
        /** Started, not finished, and must not run twice: its lease expires and the reaper holds it for a person. */
        LEFT_TO_REAPER(true, "the worker stops"),
        /** No extension was confirmed in time. The row decides whether the result still counts. */
        SELF_FENCED(false, "its lease could not be confirmed"),
        /** The time limit is over. */
        TIMED_OUT(false, "it is over its time limit");

        final boolean dropsResult;
        private final String text;

        End(boolean dropsResult, String text) {
            this.dropsResult = dropsResult;
            this.text = text;
        }

        /** For logs and operators. */
        String text() {
            return text;
        }

        /** A run that was only fenced continues when the database is back, so its time limit still applies. */
        private int finality() {
            return this == CANCELLED ? 3 : dropsResult ? 2 : this == TIMED_OUT ? 1 : 0;
        }
    }

    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final ClaimedTask task;
    private final Witness witness;
    private final long timeoutNanos;
    private final long claimedNanos;
    private final LeaseTerm term;
    private long startedNanos;
    private long endedNanos;
    private boolean longRunReported;
    private boolean lossTold;
    private @Nullable Thread thread;
    private @Nullable End end;
    private boolean started;
    private boolean outcomeUnderWay;
    private boolean rowGone;
    private @Nullable SlotGroupLoad load;
    private Stage stage = Stage.CLAIMED;

    /** The stage of a lease, as its slot group counts it. */
    private enum Stage {
        CLAIMED,
        REPORTED,
        LOCKED_OUT,
        SETTLED
    }

    /**
     * @param timeout the limit of the run, zero for none
     * @param sentNanos local time before the claim was sent: the lease began at that time or later
     */
    RunningTask(ClaimedTask task, Duration timeout, long sentNanos) {
        this(task, timeout, sentNanos, Witness.none());
    }

    /**
     * @param witness this worker's: when it is in doubt, the run ends before the leader could end the lease
     */
    RunningTask(ClaimedTask task, Duration timeout, long sentNanos, Witness witness) {
        // the leases of tasks that must not run twice are never ended early
        this.witness = task.reapable() ? witness : Witness.none();
        this.task = task;
        this.timeoutNanos = nanos(timeout);
        this.claimedNanos = sentNanos;
        this.term = new LeaseTerm(nanos(task.lockTimeout()), sentNanos);
    }

    /** "Forever" may exceed the range of nanoseconds. */
    private static long nanos(Duration duration) {
        return (duration.compareTo(LONGEST) > 0 ? LONGEST : duration).toNanos();
    }

    ClaimedTask task() {
        return task;
    }

    Lease lease() {
        return task.lease();
    }

    long claimedNanos() {
        return claimedNanos;
    }

    /** Begins the run on the calling thread; false when there is no reason left to run. */
    synchronized boolean begin(long now) {
        if (end != null || mustFence(now)) {
            return false;
        }
        started = true;
        startedNanos = now;
        thread = Thread.currentThread();
        return true;
    }

    /** Counts this lease in the load of its slot group until its outcome is settled. */
    synchronized void countIn(SlotGroupLoad groupLoad) {
        load = groupLoad;
        groupLoad.claimed();
    }

    /** The handler has ended: no interrupt of this run may reach the thread any more. */
    @SuppressWarnings("ResultOfMethodCallIgnored")
    synchronized void finish(long now) {
        thread = null;
        outcomeUnderWay = true;
        endedNanos = now;
        Thread.interrupted();
    }

    /** Ends the run early and interrupts it. The first reason stays, unless the new one is more final. */
    synchronized boolean end(End reason) {
        boolean ended = endFromWithin(reason);
        if (ended && thread != null) {
            thread.interrupt();
        }
        return ended;
    }

    /** The outcome is being written, and the database decides. The result of an extension no longer matters. */
    synchronized void outcomeUnderWay() {
        outcomeUnderWay = true;
    }

    /**
     * An extension found that the row has another owner or is gone. While the outcome is being written, the outcome
     * itself may be the cause. Then nothing is interrupted, and the completer finds out what happened.
     *
     * @param reason {@link End#LOST} or {@link End#CANCELLED}
     * @return whether the lease is lost and this is the first notice
     */
    synchronized boolean lose(End reason) {
        if (outcomeUnderWay) {
            rowGone = true;
            return false;
        }
        return end(reason);
    }

    /** The outcome waits to be written. */
    synchronized void reported() {
        outcomeUnderWay = true;
        if (load != null && stage == Stage.CLAIMED) {
            stage = Stage.REPORTED;
            load.reported();
        }
    }

    /** The outcome waits until another transaction releases the row. */
    synchronized void lockedOut() {
        if (load != null && stage == Stage.REPORTED) {
            stage = Stage.LOCKED_OUT;
            load.lockedOut();
        }
    }

    /** The outcome is written, refused or given up. */
    synchronized void settled() {
        Stage before = stage;
        stage = Stage.SETTLED;
        if (load != null && before != Stage.SETTLED) {
            load.settled(this, before == Stage.REPORTED, before == Stage.LOCKED_OUT);
        }
    }

    synchronized boolean isSettled() {
        return stage == Stage.SETTLED;
    }

    /** Whether a handler has run and ended. */
    synchronized boolean hasRun() {
        return started && thread == null;
    }

    /** Whether a handler has been running for at least this long. */
    synchronized boolean runsSince(long nanos, long now) {
        return thread != null && now - startedNanos >= nanos;
    }

    /**
     * Ends the run early on its own thread, by an exception: an interrupt would break the connection on which a virtual
     * thread is about to roll back.
     */
    synchronized boolean endFromWithin(End reason) {
        if (end != null && end.finality() >= reason.finality()) {
            return false;
        }
        end = reason;
        return true;
    }

    synchronized @Nullable End ended() {
        return end;
    }

    synchronized boolean dropsResult() {
        return end != null && end.dropsResult;
    }

    synchronized boolean isStarted() {
        return started;
    }

    synchronized boolean isRunning() {
        return thread != null;
    }

    /** Whether the run was asked to end and its handler is still running. */
    synchronized boolean hangs() {
        return end != null && thread != null;
    }

    /** The stack of its handler; empty when it is not running. */
    synchronized StackTraceElement[] stack() {
        return thread == null ? new StackTraceElement[0] : thread.getStackTrace();
    }

    synchronized Duration took() {
        return Duration.ofNanos(Math.max(0, endedNanos - startedNanos));
    }

    /** See {@link LeaseTerm#confirm}. */
    synchronized void confirm(long sentNanos) {
        term.confirm(sentNanos);
    }

    /** See {@link LeaseTerm#extendSoon}. */
    synchronized void extendSoon() {
        term.extendSoon();
    }

    /** See {@link LeaseTerm#extending}. */
    synchronized void extending() {
        term.extending();
    }

    /** Whether a third of the lease is used up. A run that is over its limit is no longer extended. */
    synchronized boolean needsExtension(long now) {
        return nanosToExtension(now) <= 0;
    }

    /** How long until {@link #needsExtension}; maximal when it never will. */
    synchronized long nanosToExtension(long now) {
        if (rowGone || end != null && end != End.SELF_FENCED) {
            return Long.MAX_VALUE;
        }
        return term.nanosToExtension(now);
    }

    /** H7: whether the lease may end soon and no extension was confirmed. An outcome is left to the row. */
    synchronized boolean mustFence(long now) {
        return end == null && !outcomeUnderWay && (term.mayEndSoon(now) || witness.isInDoubt(claimedNanos, now));
    }

    /** H6: whether the run is over its limit. */
    synchronized boolean isOverTime(long now) {
        return (end == null || end == End.SELF_FENCED)
                && thread != null
                && timeoutNanos > 0
                && now - startedNanos >= timeoutNanos;
    }

    /** True once, when the run has gone on for that long. */
    synchronized boolean becomesLong(long now, long warnAfterNanos) {
        if (thread == null || longRunReported || warnAfterNanos == 0 || now - startedNanos < warnAfterNanos) {
            return false;
        }
        longRunReported = true;
        return true;
    }

    /** True once: a loss may be noticed by the keeper, by the fence and by the completer. */
    synchronized boolean tellLoss() {
        boolean first = !lossTold;
        lossTold = true;
        return first;
    }

    /** See {@link LeaseTerm#busy}. */
    synchronized boolean busy(long sentNanos) {
        return term.busy(sentNanos);
    }

    /** See {@link LeaseTerm#ownTransactionHoldsRow}. */
    synchronized void ownTransactionHoldsRow(boolean holds) {
        term.ownTransactionHoldsRow(holds);
    }
}
