package io.konduit.queue.worker;

import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.InvalidPayloadException;
import io.konduit.queue.LeaseLostException;
import io.konduit.queue.TaskHandedOverError;
import io.konduit.queue.TaskSnoozedError;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.handler.Backoff;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.JobHandlerRegistry;
import io.konduit.queue.observation.TaskObservations;
import io.konduit.queue.settings.DurationText;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.RunError;
import io.micrometer.observation.Observation;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs one task on the calling thread and says how it ended.
 *
 * <ol>
 *   <li>Calls the handler. If the node dies, the lease ends and the reaper takes the task back.
 *   <li>A transactional handler's completion is part of its transaction. If the node dies before the commit, nothing
 *       of it has happened; after it, the task is completed.
 *   <li>Otherwise the outcome goes to the {@link Completer}. If the node dies before it is written, the task runs again.
 * </ol>
 */
public final class TaskRunner {
    private static final Logger log = LoggerFactory.getLogger(TaskRunner.class);
    private static final String MDC_TASK = "konduit.task";
    private static final String MDC_TYPE = "konduit.type";
    private static final String MDC_ATTEMPT = "konduit.attempt";
    private static final String MDC_WORKER = "konduit.worker";

    private static final Duration LONGEST_BACKOFF = Duration.ofDays(36_500);
    private static final Duration BACKOFF_WITHOUT_POLICY = Duration.ofMinutes(1);

    private final JobHandlerRegistry handlers;
    private final LeaseRepository leases;
    private final LeaseFence fence;
    private final RunEnvironment environment;
    private final LongSupplier nanoTime;
    private final @Nullable TransactionTemplate transaction;
    private final String worker;

    public TaskRunner(
            JobHandlerRegistry handlers,
            LeaseRepository leases,
            LeaseFence fence,
            RunEnvironment environment,
            LongSupplier nanoTime) {
        this.handlers = handlers;
        this.leases = leases;
        this.fence = fence;
        this.environment = environment;
        this.nanoTime = nanoTime;
        PlatformTransactionManager transactionManager = environment.transactionManager();
        this.transaction = transactionManager == null ? null : new TransactionTemplate(transactionManager);
        this.worker = leases.worker().toString();
    }

    /** The handlers of this application. */
    JobHandlerRegistry handlers() {
        return handlers;
    }

    /** The default time limit, for tasks without one of their own and whose handler declares none. */
    int maxAttempts() {
        return environment.retryPolicy().maxAttempts();
    }

    /** S14: while this holds, runs end right after a checkpoint. */
    void handOverWhen(BooleanSupplier workerDrains) {
        fence.handOverWhen(workerDrains);
    }

    /** @throws InvalidJobHandlerException if a handler is transactional and there is no transaction manager */
    void requireTransactionManager() {
        if (transaction != null) {
            return;
        }
        for (JobHandlerMethod handler : handlers.all()) {
            if (handler.transactional()) {
                throw new InvalidJobHandlerException(
                        "Handler '%s' (%s) is transactional, but there is no single transaction manager for the queue's data source. Define one, or mark one as @Primary."
                                .formatted(handler.type(), handler.location()));
            }
        }
    }

    /** Runs the handler. */
    Outcome run(RunningTask run, JobHandlerMethod handler) {
        return run(run, handler, HandlerCall.PLAIN);
    }

    Outcome run(RunningTask run, JobHandlerMethod handler, HandlerCall call) {
        if (!run.begin(nanoTime.getAsLong())) {
            return new Outcome.GivenBack(run, Duration.ZERO);
        }
        ClaimedTask task = run.task();
        MDC.put(MDC_TASK, Long.toString(task.id()));
        MDC.put(MDC_TYPE, task.type());
        MDC.put(MDC_ATTEMPT, Integer.toString(task.attempt()));
        MDC.put(MDC_WORKER, worker);
        fence.bind(run);
        Observation observation = start(task);
        try (Observation.Scope scope = observation.openScope()) {
            boolean completed = call(run, handler, call);
            run.finish(nanoTime.getAsLong());
            return completed ? new Outcome.Written(run) : new Outcome.Completed(run);
        } catch (Throwable error) {
            run.finish(nanoTime.getAsLong());
            if (call.hasDied()) {
                return new Outcome.LeftToReaper(run, runError(task, null, error));
            }
            if (TaskHandedOverError.isBehind(error)) {
                log.info("{} is handed over after a checkpoint: this worker drains", task);
                TaskObservations.handedOver(observation);
                return new Outcome.GivenBack(run, Duration.ZERO);
            }
            TaskSnoozedError snoozed = TaskSnoozedError.behind(error).orElse(null);
            if (snoozed != null) {
                TaskObservations.snoozed(observation);
                return new Outcome.Snoozed(run, snoozed.duration());
            }
            environment.observations().failed(observation, error);
            return afterError(run, handler, error);
        } finally {
            stop(observation);
            fence.unbind();
            MDC.remove(MDC_TASK);
            MDC.remove(MDC_TYPE);
            MDC.remove(MDC_ATTEMPT);
            MDC.remove(MDC_WORKER);
        }
    }

    /** True when the completion has been committed with the handler's transaction. */
    private boolean call(RunningTask run, JobHandlerMethod handler, HandlerCall call) throws Throwable {
        HandlerContext context = new HandlerContext(run, leases, fence, environment.converter());
        String payload = run.task().payload();
        if (!handler.transactional()) {
            call.invoke(handler, payload, environment.converter(), context);
            return false;
        }
        if (transaction == null) {
            throw new IllegalStateException("Handler '" + handler.type()
                    + "' is transactional, but there is no transaction manager for the queue's data source.");
        }
        try {
            transaction.executeWithoutResult(status -> {
                try {
                    call.invoke(handler, payload, environment.converter(), context);
                } catch (Throwable error) {
                    throw new HandlerError(error);
                }
                if (status.isRollbackOnly()) {
                    throw new UnexpectedRollbackException(
                            "The handler marked its transaction for rollback, so the task cannot be completed with it.");
                }
                if (run.dropsResult() || !leases.completeInTransaction(run.lease())) {
                    run.endFromWithin(RunningTask.End.LOST);
                    throw new LeaseLostException(
                            "The lease on " + run.task() + " was lost: its transaction is rolled back.");
                }
                fence.completedInTransaction();
                run.outcomeUnderWay();
            });
        } catch (HandlerError e) {
            throw e.getCause() == null ? e : e.getCause();
        }
        return fence.isCompletedInTransaction();
    }

    private Outcome afterError(RunningTask run, JobHandlerMethod handler, Throwable error) {
        ClaimedTask task = run.task();
        RunningTask.End end = run.ended();
        boolean interruptedByUs = end == RunningTask.End.SELF_FENCED || end == RunningTask.End.TIMED_OUT;
        if (interruptedByUs && !task.reapable()) {
            // it is unknown whether the work was done: a person decides
            log.warn(
                    "{} was interrupted and must not run twice: it will be held for a person when its lease has expired. {}",
                    task,
                    environment.errors().forLog(error));
            run.end(RunningTask.End.LEFT_TO_REAPER);
            return new Outcome.LeftToReaper(run, runError(task, end, error));
        }
        if (end == RunningTask.End.SELF_FENCED) {
            // the attempt is not charged
            return new Outcome.GivenBack(run, Duration.ZERO);
        }
        boolean fatal = error instanceof InvalidPayloadException || !retries(error);
        Duration backoff = fatal ? Duration.ZERO : backoff(handler, task.attempt());
        if (!run.dropsResult()) {
            log.warn(
                    "{} failed{}{}: {}",
                    task,
                    end == RunningTask.End.TIMED_OUT ? " after its time limit" : "",
                    whatFollows(task, fatal, backoff),
                    environment.errors().forLog(error));
        }
        return new Outcome.Failed(run, new Failure(task.lease(), fatal, backoff, runError(task, end, error)), error);
    }

    /** As far as known here: the row decides. A final failure is logged separately. */
    private static String whatFollows(ClaimedTask task, boolean fatal, Duration backoff) {
        if (fatal || task.attempt() >= task.maxAttempts()) {
            return "";
        }
        Duration wait =
                backoff.compareTo(Duration.ofSeconds(1)) < 0 ? backoff : backoff.truncatedTo(ChronoUnit.SECONDS);
        return ", attempt " + (task.attempt() + 1) + " of " + task.maxAttempts() + " follows in "
                + DurationText.of(wait);
    }

    private RunError runError(ClaimedTask task, RunningTask.@Nullable End end, Throwable error) {
        String why = end == RunningTask.End.TIMED_OUT
                ? "Interrupted after its time limit"
                : end == RunningTask.End.SELF_FENCED
                        ? "Interrupted because its lease could not be confirmed"
                        : end == RunningTask.End.LEFT_TO_REAPER ? "Interrupted because its worker stopped" : null;
        String message = environment.errors().message(error);
        String stack = environment.errors().stack(error);
        return new RunError(
                task.attempt(),
                ErrorTexts.type(error),
                why == null || message == null ? (why == null ? message : why) : why + ": " + message,
                why == null ? stack : why + ": " + stack);
    }

    /** The policy may be the application's: whatever it does, the task must not stay RUNNING. */
    private boolean retries(Throwable error) {
        try {
            return environment.retryPolicy().retries(error);
        } catch (RuntimeException e) {
            log.error("The retry policy failed; the task is retried. {}", ErrorText.withoutMessages(e));
            return true;
        }
    }

    @SuppressWarnings("ConstantValue") // an application's policy may ignore the null contract
    private Duration backoff(JobHandlerMethod handler, int attempt) {
        Backoff declared = handler.backoff();
        try {
            Duration backoff = declared == null
                    ? environment.retryPolicy().backoff(attempt)
                    : declared.after(attempt, environment.retryPolicy().jitter());
            if (backoff != null && !backoff.isNegative()) {
                return backoff.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : backoff;
            }
            log.error("The retry policy returned a delay of {}; expected zero or more", backoff);
        } catch (RuntimeException e) {
            log.error("The retry policy failed. {}", ErrorText.withoutMessages(e));
        }
        return BACKOFF_WITHOUT_POLICY;
    }

    /** Observations are the application's too: a failure there must not fail a task. */
    private Observation start(ClaimedTask task) {
        try {
            return environment.observations().execution(task).start();
        } catch (RuntimeException e) {
            log.warn("An observation could not be started: {}", ErrorText.withoutMessages(e));
            return Observation.NOOP;
        }
    }

    private static void stop(Observation observation) {
        try {
            observation.stop();
        } catch (RuntimeException e) {
            log.warn("An observation could not be stopped: {}", ErrorText.withoutMessages(e));
        }
    }

    /** Carries what the handler threw through the transaction template. */
    private static final class HandlerError extends RuntimeException {
        private static final long serialVersionUID = 1L;

        HandlerError(Throwable cause) {
            super(null, cause, false, false);
        }
    }
}
