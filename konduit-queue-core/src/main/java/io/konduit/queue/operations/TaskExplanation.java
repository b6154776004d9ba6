package io.konduit.queue.operations;

import io.konduit.queue.HoldReason;
import io.konduit.queue.Task;
import io.konduit.queue.admin.WorkerState;
import io.konduit.queue.review.TaskSituation;
import io.konduit.queue.settings.InspectionSettings;
import io.konduit.queue.settings.PropertyNames;
import java.time.Duration;
import java.time.Instant;

/** Explains in a sentence why a task runs or does not run now, and what an operator has to do, if anything. */
final class TaskExplanation {
    private final InspectionSettings settings;

    TaskExplanation(InspectionSettings settings) {
        this.settings = settings;
    }

    String of(TaskSituation found) {
        Task task = found.task();
        return switch (task.status()) {
            case PENDING -> pending(found);
            case RUNNING -> running(found);
            case HELD -> held(task);
            case FAILED ->
                "It failed permanently at " + task.finishedAt() + " after " + attempts(task)
                        + ". It runs again when a person retries it.";
            case COMPLETED -> "It was completed at " + task.finishedAt() + " after " + attempts(task) + ".";
            case CANCELLED -> "It was cancelled at " + task.finishedAt() + " and does not run again.";
        };
    }

    /** Where it comes from, unless it was enqueued. */
    static String origin(TaskSituation found) {
        return found.schedule() == null
                ? ""
                : " Schedule '" + found.schedule() + "' made it for " + found.scheduledFor() + ".";
    }

    private String pending(TaskSituation found) {
        Task task = found.task();
        if (found.paused() != null) {
            return "Its queue '" + task.queue() + "' has been paused since "
                    + found.paused().pausedAt() + " by " + found.paused().pausedBy()
                    + ". It runs after somebody resumes the queue.";
        }
        Duration due = Duration.between(found.now(), task.runAt());
        if (!due.isNegative() && !due.isZero()) {
            String why = task.attempts() == 0 ? "" : ", after " + attempts(task);
            String snoozed = found.snoozes() == 0 ? "" : " Its handler has snoozed it " + times(found.snoozes()) + ".";
            return "It is due in " + seconds(due) + ", at " + task.runAt() + why + "." + snoozed;
        }
        String since = "It has been due for " + seconds(due.negated());
        if (found.servingWorkers() == 0) {
            return since + ", but no active worker serves queue '" + task.queue()
                    + "'. Start one, or add the queue to '" + PropertyNames.WORKER_QUEUES + "'.";
        }
        String slots = " (" + found.servingBusy() + " of " + found.servingSlots() + " slots of "
                + found.servingWorkers() + " active workers on queue '" + task.queue() + "' are busy)";
        if (task.zombieCount() >= settings.isolateAfter()) {
            return since + " and waits until a worker has nothing else to do: it has lost " + task.zombieCount()
                    + " workers, so it runs alone" + slots + ".";
        }
        return since + " and waits for a free slot" + slots + ". If slots stay free, no worker has a handler for type '"
                + task.type() + "'.";
    }

    private String running(TaskSituation found) {
        Task task = found.task();
        Instant end = task.lockTimeoutAt();
        String owner = found.ownerName() == null
                ? task.lockedBy() + " (not registered any more)"
                : "'" + found.ownerName() + "' (" + task.lockedBy() + " on " + found.ownerHost() + ")";
        Duration over = end == null ? Duration.ZERO : Duration.between(end, found.now());
        if (over.compareTo(Duration.ZERO) <= 0) {
            String stale = found.ownerStatus() == WorkerState.STALE
                    ? " That worker has sent no heartbeat for a while; it keeps the task until the lease expires."
                    : "";
            return "It runs on worker " + owner + " since " + task.lockedAt() + ", lease until " + end + "." + stale;
        }
        String next = settings.reaperInterval().isZero()
                ? "The reaper is disabled here, so a person has to reclaim it."
                : "The reaper takes it back with its next pass.";
        return "Worker " + owner + " has lost it: its lease ended " + seconds(over) + " ago. " + next;
    }

    private String held(Task task) {
        String reason = task.holdReason() == HoldReason.QUARANTINED
                ? "it has lost " + task.zombieCount() + " workers and was quarantined"
                : "its worker was lost and it is not reapable: it must not run twice without review";
        return "It is held because " + reason + ". It waits until a person releases, fails or cancels it.";
    }

    private static String attempts(Task task) {
        String of = task.maxAttempts() == null ? "" : " of " + task.maxAttempts();
        return task.attempts() + of + " attempt" + (task.attempts() == 1 && of.isEmpty() ? "" : "s");
    }

    private static String times(int count) {
        return count == 1 ? "once" : count + " times";
    }

    private static String seconds(Duration duration) {
        return Math.max(1, Math.round(duration.toMillis() / 1000.0)) + " s";
    }
}
