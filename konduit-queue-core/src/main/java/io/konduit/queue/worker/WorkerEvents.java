package io.konduit.queue.worker;

import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.event.TaskFailed;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.settings.DurationText;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.ReportedFailure;
import io.konduit.queue.store.RunError;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports the outcome of a run to the log, the metrics and the application's listeners, after the database has it. */
public final class WorkerEvents {
    private static final Logger log = LoggerFactory.getLogger(WorkerEvents.class);

    private final QueueMonitor monitor;
    private final QueueEvents events;

    public WorkerEvents(QueueMonitor monitor, QueueEvents events) {
        this.monitor = new SafeMonitor(monitor);
        this.events = events;
    }

    void started(RunningTask run) {
        monitor.started(run.task());
    }

    void completed(RunningTask run) {
        log.debug("Completed {}", run.task());
        monitor.completed(run.task(), run.took());
    }

    void failed(RunningTask run, ReportedFailure reported, Failure failure) {
        ClaimedTask task = run.task();
        RunError error = failure.error();
        Instant at = reported.at();
        if (reported.result() == FailureResult.FINAL && at != null) {
            log.warn(
                    "{} is FAILED after attempt {} of {}{} with {}. It stays until a person retries it or retention removes it.",
                    task,
                    task.attempt(),
                    task.maxAttempts(),
                    failure.fatal() ? " (not to be retried)" : "",
                    error.type());
            monitor.failed(task, run.took(), error.type());
            events.publish(new TaskFailed(
                    TaskId.of(task.id()),
                    task.type(),
                    task.queue(),
                    task.attempt(),
                    new TaskError(error.type(), error.message(), error.attempt(), at)));
        } else if (reported.result() == FailureResult.RETRY) {
            monitor.retried(task, run.took(), error.type());
        } else {
            log.debug("The outcome of {} was already written: only the reply was lost", task);
        }
    }

    void givenBack(RunningTask run) {
        log.debug("Gave back {}", run.task());
        monitor.givenBack(run.task());
    }

    void snoozed(RunningTask run, Duration delay) {
        log.debug("{} was snoozed for {}", run.task(), DurationText.of(delay));
        monitor.snoozed(run.task());
    }

    /** The worker has learned that a lease is lost. */
    void lost(RunningTask run) {
        tellLost(run, "its handler is interrupted and its result will be dropped");
    }

    /** The database has refused the outcome of a run. */
    void refused(RunningTask run) {
        tellLost(run, "its result was refused and changed nothing");
    }

    void falselyReclaimed(int tasks) {
        if (tasks > 0) {
            monitor.falselyReclaimed(tasks);
        }
    }

    void ranLong(RunningTask run, Duration limit) {
        log.warn("{} has been running for more than {}", run.task(), DurationText.of(limit));
        monitor.ranLong(run.task());
    }

    private void tellLost(RunningTask run, String consequence) {
        if (!run.tellLoss()) {
            return;
        }
        ClaimedTask task = run.task();
        boolean cancelled = run.ended() == RunningTask.End.CANCELLED;
        if (cancelled) {
            log.info("{} was cancelled while it ran: {}", task, consequence);
        } else {
            log.warn(
                    "The lease on {} is lost: {}. The task is back in the queue, held or cancelled.",
                    task,
                    consequence);
            monitor.leaseLost(task);
        }
        events.publish(new LeaseLost(
                TaskId.of(task.id()),
                task.type(),
                task.queue(),
                task.lease().epoch(),
                cancelled ? LeaseLost.Reason.CANCELLED : LeaseLost.Reason.TAKEN_BACK));
    }
}
