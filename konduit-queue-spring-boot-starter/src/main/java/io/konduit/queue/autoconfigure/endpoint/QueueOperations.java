package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.TaskId;
import io.konduit.queue.admin.BulkAction;
import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.WorkerAdministration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The endpoint's operations over every transport. Actions are refused unless the application allows them. */
final class QueueOperations {
    private static final String RECLAIM = "reclaim";
    private static final String CLEAN_ABANDONED = "clean-abandoned";
    private static final List<String> COMMANDS = List.of(RECLAIM, CLEAN_ABANDONED);
    private static final List<String> ACTIONS = List.of(
            "tasks/{id}/release",
            "tasks/{id}/fail",
            "tasks/{id}/retry",
            "tasks/{id}/cancel",
            "tasks/{id}/reschedule",
            "queues/{name}/pause",
            "queues/{name}/resume",
            "workers/{id}/drain",
            "workers/{id}/resume",
            "schedules/{name}/pause",
            "schedules/{name}/resume",
            "schedules/{name}/run-now");

    private final QueueReads reads;
    private final QueueInspection inspection;
    private final TaskAdministration tasks;
    private final QueueAdministration queues;
    private final BulkOperations bulk;
    private final WorkerOperations workers;
    private final ScheduleOperations schedules;
    private final boolean allowWrites;

    QueueOperations(
            QueueReads reads,
            QueueInspection inspection,
            TaskAdministration tasks,
            QueueAdministration queues,
            WorkerAdministration workers,
            ScheduleOperations schedules,
            boolean allowWrites) {
        this.schedules = schedules;
        this.reads = reads;
        this.inspection = inspection;
        this.tasks = tasks;
        this.queues = queues;
        this.bulk = new BulkOperations(tasks);
        this.workers = new WorkerOperations(workers);
        this.allowWrites = allowWrites;
    }

    QueueReads reads() {
        return reads;
    }

    /** A dry run changes nothing, so it is always allowed; it is the default. */
    OperationResponseBody command(
            String command, @Nullable String dryRun, @Nullable String size, @Nullable String note, String actor) {
        boolean dry = ParameterText.truth("'dryRun'", dryRun, true);
        int limit = ParameterText.wholeNumber("'size'", size, ListQuery.DEFAULT_SIZE);
        if (!dry && COMMANDS.contains(command)) {
            requireWrites(command);
        }
        return switch (command) {
            case RECLAIM -> dry ? orphans(limit) : reclaim(actor, note);
            case CLEAN_ABANDONED ->
                dry ? ReclaimViews.AbandonedDryRun.of(inspection.abandoned(limit)) : cleanAbandoned(actor, note);
            default -> throw new UnknownPathException(COMMANDS, command);
        };
    }

    private OperationResponseBody orphans(int limit) {
        return new ReclaimViews.DryRun(
                true,
                inspection.orphans(limit).stream()
                        .map(ReclaimViews.OrphanView::of)
                        .toList());
    }

    private OperationResponseBody reclaim(String actor, @Nullable String note) {
        ReclaimResult result = tasks.reclaimNow(actor, note);
        return ReclaimViews.Reclaim.of(
                result,
                result.postponed().isZero()
                        ? "All orphans that could be reclaimed have been."
                        : "The database was unavailable or its clock jumped: nothing is reclaimed until live workers have had time to extend their leases.");
    }

    private OperationResponseBody cleanAbandoned(String actor, @Nullable String note) {
        return ReclaimViews.Reclaim.of(
                tasks.cleanAbandonedNow(actor, note),
                "All tasks without progress that could be taken from their workers have been.");
    }

    /** Applies one action to all matching tasks; a dry run is always allowed. */
    OperationResponseBody bulk(String list, String action, BulkBody body, String actor) {
        BulkAction wanted = BulkOperations.action(list, action, body.action());
        if (!body.isDryRun()) {
            requireWrites(list + "/" + action);
        }
        return bulk.run(wanted, body, actor);
    }

    OperationResponseBody act(String list, String id, String action, ActionBody body, String actor) {
        String note = body.note();
        String path = list + "/" + id + "/" + action;
        return switch (list + "/" + action) {
            case "tasks/release" -> decide(path, id, task -> tasks.release(task, actor, note));
            case "tasks/fail" -> decide(path, id, task -> tasks.fail(task, actor, note));
            case "tasks/cancel" -> decide(path, id, task -> tasks.cancel(task, actor, note));
            case "tasks/retry" -> decide(path, id, task -> tasks.retry(task, body.moreAttempts(), actor, note));
            case "tasks/reschedule" -> decide(path, id, task -> reschedule(task, body, actor));
            case "queues/pause" -> {
                requireWrites(path);
                queues.pause(id, actor, note);
                yield new QueueViews.QueueChange(id, true, actor);
            }
            case "queues/resume" -> {
                requireWrites(path);
                queues.resume(id, actor, note);
                yield new QueueViews.QueueChange(id, false, actor);
            }
            case "workers/drain" -> {
                requireWrites(path);
                yield workers.drain(id, actor, note);
            }
            case "workers/resume" -> {
                requireWrites(path);
                yield workers.resume(id, actor, note);
            }
            case "schedules/pause" -> {
                requireWrites(path);
                yield schedules.pause(id, actor, note);
            }
            case "schedules/resume" -> {
                requireWrites(path);
                yield schedules.resume(id, actor, note);
            }
            case "schedules/run-now" -> {
                requireWrites(path);
                yield schedules.runNow(id, actor, note);
            }
            default -> throw new UnknownPathException(ACTIONS, path);
        };
    }

    private void reschedule(TaskId task, ActionBody body, String actor) {
        Instant at = body.startAt();
        if (at == null) {
            tasks.reschedule(task, body.startIn(), actor, body.note());
        } else {
            tasks.reschedule(task, at, actor, body.note());
        }
    }

    private interface Decision {
        void on(TaskId task);
    }

    private TaskViews.Story decide(String path, String id, Decision decision) {
        requireWrites(path);
        TaskId task = ListQuery.taskId(id);
        decision.on(task);
        return reads.story(task, false);
    }

    private void requireWrites(String what) {
        if (!allowWrites) {
            throw new WritesNotAllowedException(what);
        }
    }
}
