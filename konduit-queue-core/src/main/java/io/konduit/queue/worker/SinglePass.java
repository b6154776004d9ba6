package io.konduit.queue.worker;

import io.konduit.queue.RetryPolicy;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.event.QueueEvents;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.QueueDatabase;
import io.konduit.queue.store.ReportedFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** A worker without threads: one claim, and its tasks one after another on the calling thread. */
public final class SinglePass {
    private static final Duration LEASE = Duration.ofHours(1);
    private static final Duration LOCKED_PAUSE = Duration.ofMillis(50);

    private final LeaseRepository leases;
    private final KnownHandlers handlers;
    private final TaskRunner runner;
    private final WorkerEvents events;
    private final LossReason reason;
    private final int maxAttempts;

    /**
     * What it needs of the application.
     *
     * @param transactionManager for transactional handlers; null when there are none
     * @param fenced those whose transactions check the lease before they commit
     */
    public record Parts(
            JobHandlerRegistry handlers,
            PayloadConverter converter,
            RetryPolicy retryPolicy,
            QueueEvents events,
            ErrorTexts errors,
            @Nullable PlatformTransactionManager transactionManager,
            Collection<ConfigurableTransactionManager> fenced) {}

    /** How a run ended. */
    public enum Result {
        COMPLETED,
        RETRIED,
        FAILED,
        NO_HANDLER,
        LEASE_LOST
    }

    /** One run; {@code error} is what the handler threw. */
    public record Ran(
            long taskId,
            String type,
            Result result,
            @Nullable Throwable error) {}

    public SinglePass(QueueDatabase database, Parts parts) {
        this.leases = new LeaseRepository(
                database, WorkerIdentity.create("single-pass").id());
        this.handlers = new KnownHandlers(parts.handlers());
        LeaseFence fence = new LeaseFence(database, leases);
        parts.fenced().forEach(manager -> manager.addListener(fence));
        this.runner = new TaskRunner(
                leases,
                fence,
                parts.converter(),
                parts.retryPolicy(),
                TaskObservations.none(),
                parts.errors(),
                parts.transactionManager());
        this.events = new WorkerEvents(QueueMonitor.NONE, parts.events());
        this.reason = new LossReason(leases);
        this.maxAttempts = parts.retryPolicy().maxAttempts();
    }

    /** Claims up to {@code most} due tasks and runs each once, best first. Those without a handler come last. */
    public List<Ran> run(List<String> queues, int most) {
        List<LeaseRepository.Unhandled> unhandled = leases.findUnhandled(queues, handlers.types(), most);
        ClaimRequest request = new ClaimRequest(
                new ClaimBounds(queues, System::nanoTime).probes(),
                most,
                LEASE,
                maxAttempts,
                handlers.declared(),
                handlers.types());
        List<ClaimedTask> claimed = leases.claimDue(request);
        List<Ran> runs = new ArrayList<>();
        try {
            for (ClaimedTask task : claimed) {
                runs.add(run(task));
            }
        } finally {
            giveBack(claimed.subList(runs.size(), claimed.size()));
        }
        unhandled.forEach(task -> runs.add(new Ran(task.id(), task.type(), Result.NO_HANDLER, null)));
        return runs;
    }

    private Ran run(ClaimedTask task) {
        JobHandlerMethod handler = handlers.find(task.type()).orElseThrow();
        Execution execution = new Execution(task, Duration.ZERO, System.nanoTime());
        Outcome outcome = runner.run(execution, handler);
        Throwable error = outcome instanceof Outcome.Failed failed ? failed.error() : null;
        return new Ran(task.id(), task.type(), write(execution, outcome), error);
    }

    private Result write(Execution execution, Outcome outcome) {
        if (outcome instanceof Outcome.Written) {
            return Result.COMPLETED;
        }
        if (!execution.dropsResult()) {
            if (outcome instanceof Outcome.Failed failed) {
                ReportedFailure reported = fail(failed, execution);
                if (reported != null && reported.result() != FailureResult.LOST) {
                    events.failed(execution, reported, failed.failure());
                    return reported.result() == FailureResult.FINAL ? Result.FAILED : Result.RETRIED;
                }
            } else if (!leases.complete(List.of(execution.lease())).isEmpty()) {
                return Result.COMPLETED;
            }
        }
        execution.endFromWithin(Execution.End.LOST);
        reason.findOut(execution);
        events.refused(execution);
        return Result.LEASE_LOST;
    }

    /** Waits for a row that somebody else has locked, as a completion does. */
    private @Nullable ReportedFailure fail(Outcome.Failed failed, Execution execution) {
        ReportedFailure reported;
        do {
            reported = leases.report(List.of(failed.failure())).get(execution.lease());
            if (isBusy(reported)) {
                LockSupport.parkNanos(LOCKED_PAUSE.toNanos());
            }
        } while (isBusy(reported));
        return reported;
    }

    private static boolean isBusy(@Nullable ReportedFailure reported) {
        return reported != null && reported.result() == FailureResult.BUSY;
    }

    private void giveBack(List<ClaimedTask> tasks) {
        if (!tasks.isEmpty()) {
            leases.giveBack(tasks.stream().map(ClaimedTask::lease).toList(), Duration.ZERO);
        }
    }
}
