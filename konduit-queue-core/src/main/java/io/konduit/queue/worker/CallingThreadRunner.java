package io.konduit.queue.worker;

import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.ReportedFailure;
import io.konduit.queue.store.Written;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Runs claimed tasks on the calling thread. The outcome of each is written before the call returns. */
public final class CallingThreadRunner {
    private static final Duration LOCKED_PAUSE = Duration.ofMillis(50);

    private final LeaseRepository leases;
    private final TaskRunner runner;
    private final WorkerEvents events;
    private final LossReason reason;

    /** The outcome of a task. */
    public enum Result {
        COMPLETED,
        RETRIED,
        FAILED,
        SNOOZED,
        LEASE_LOST,
        /** The run has ended where a process could die: nothing was reported. */
        DIED
    }

    /** One run; {@code error} is what the handler threw. */
    public record Ran(Result result, @Nullable Throwable error) {}

    public CallingThreadRunner(LeaseRepository leases, TaskRunner runner, WorkerEvents events) {
        this.leases = leases;
        this.runner = runner;
        this.events = events;
        this.reason = new LossReason(leases);
    }

    /** The default time limit, for tasks without one of their own and whose handler declares none. */
    public int maxAttempts() {
        return runner.maxAttempts();
    }

    /** Runs a task of this worker without a time limit. Its lease is not extended. */
    public Ran run(ClaimedTask task, JobHandlerMethod handler) {
        return run(task, handler, HandlerCall.PLAIN);
    }

    /** The same, with a call that may end the run as if the process had died. */
    public Ran run(ClaimedTask task, JobHandlerMethod handler, HandlerCall call) {
        RunningTask run = new RunningTask(task, Duration.ZERO, System.nanoTime());
        Outcome outcome = runner.run(run, handler, call);
        if (call.hasDied()) {
            return new Ran(Result.DIED, null);
        }
        Throwable error = outcome instanceof Outcome.Failed failed ? failed.error() : null;
        return new Ran(write(run, outcome), error);
    }

    private Result write(RunningTask run, Outcome outcome) {
        if (outcome instanceof Outcome.Written) {
            return Result.COMPLETED;
        }
        if (!run.dropsResult()) {
            if (outcome instanceof Outcome.Failed failed) {
                ReportedFailure reported = fail(failed, run);
                if (reported != null && reported.result() != FailureResult.LOST) {
                    events.failed(run, reported, failed.failure());
                    return reported.result() == FailureResult.FINAL ? Result.FAILED : Result.RETRIED;
                }
            } else if (outcome instanceof Outcome.Snoozed snoozed) {
                if (snooze(snoozed)) {
                    events.snoozed(run, snoozed.delay());
                    return Result.SNOOZED;
                }
            } else if (!leases.complete(List.of(run.lease())).isEmpty()) {
                return Result.COMPLETED;
            }
        }
        run.endFromWithin(RunningTask.End.LOST);
        reason.findOut(run);
        events.refused(run);
        return Result.LEASE_LOST;
    }

    /** Waits for a row that another transaction has locked, as a completion does. */
    private @Nullable ReportedFailure fail(Outcome.Failed failed, RunningTask run) {
        ReportedFailure reported;
        do {
            reported = leases.report(List.of(failed.failure())).get(run.lease());
            if (isBusy(reported)) {
                LockSupport.parkNanos(LOCKED_PAUSE.toNanos());
            }
        } while (isBusy(reported));
        return reported;
    }

    private boolean snooze(Outcome.Snoozed outcome) {
        Lease lease = outcome.run().lease();
        Written written;
        do {
            written = leases.snoozeUnlocked(Map.of(lease, outcome.delay()));
            if (written.busy().contains(lease)) {
                LockSupport.parkNanos(LOCKED_PAUSE.toNanos());
            }
        } while (written.busy().contains(lease));
        return written.applied().contains(lease);
    }

    private static boolean isBusy(@Nullable ReportedFailure reported) {
        return reported != null && reported.result() == FailureResult.BUSY;
    }
}
