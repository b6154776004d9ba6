package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.HeldTask;
import io.konduit.queue.Incident;
import io.konduit.queue.Task;
import io.konduit.queue.admin.AbandonedTasks;
import io.konduit.queue.admin.QueueOverview;
import io.konduit.queue.admin.QueueState;
import io.konduit.queue.admin.TaskStory;
import io.konduit.queue.recovery.ReclaimResult;
import io.konduit.queue.store.InspectionRepository;
import io.konduit.queue.store.InspectionRepository.IncidentCount;
import io.konduit.queue.store.Orphan;
import io.konduit.queue.store.PauseRepository.Decision;
import io.konduit.queue.store.PauseRepository.PausedQueue;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** The bodies of the endpoint's answers: what callers may rely on. Payloads, checkpoints and error messages are in them for callers who may see them. */
final class Views {
    private Views() {}

    record Overview(
            Instant moment,
            List<Queue> queues,
            WorkerCount workers,
            @Nullable String leader,
            @Nullable String lastReaper,
            long held,
            long zombiesAboveLimit,
            int zombieLimit,
            @Nullable Double oldestDueSeconds,
            @Nullable Double oldestExpiredLeaseSeconds,
            @Nullable Double secondsSinceReaper,
            List<String> pausedQueues)
            implements OperationResponseBody {

        static Overview of(QueueOverview found) {
            return new Overview(
                    found.moment(),
                    found.queues().stream().map(Queue::of).toList(),
                    new WorkerCount(
                            found.activeWorkers(), found.staleWorkers(), found.drainingWorkers(), found.slots()),
                    found.leader(),
                    text(found.lastReaper()),
                    found.held(),
                    found.zombiesAboveLimit(),
                    found.zombieLimit(),
                    found.oldestDueSeconds(),
                    found.oldestExpiredLeaseSeconds(),
                    found.secondsSinceReaper(),
                    found.queues().stream()
                            .filter(queue -> queue.paused() != null)
                            .map(QueueState::name)
                            .toList());
        }
    }

    record WorkerCount(int active, int stale, int draining, int slots) {}

    record Queue(
            String name,
            long pending,
            boolean pendingIsEstimate,
            long running,
            long held,
            long failed,
            @Nullable Double oldestDueSeconds,
            int activeWorkers,
            int slots,
            @Nullable PausedQueue paused) {

        static Queue of(QueueState found) {
            return new Queue(
                    found.name(),
                    found.pending(),
                    found.pendingIsEstimate(),
                    found.running(),
                    found.held(),
                    found.failed(),
                    found.oldestDueSeconds(),
                    found.activeWorkers(),
                    found.slots(),
                    found.paused());
        }
    }

    record Queues(List<Queue> queues) implements OperationResponseBody {}

    record Worker(
            String id,
            String name,
            String host,
            long pid,
            String version,
            @Nullable String applicationVersion,
            List<String> queues,
            int concurrency,
            String status,
            Instant startedAt,
            Instant lastBeatAt,
            double silentSeconds,
            long running,
            @Nullable Instant drainingSince,
            @Nullable String drainingBy) {

        static Worker of(InspectionRepository.Worker found) {
            return new Worker(
                    found.id().toString(),
                    found.name(),
                    found.host(),
                    found.pid(),
                    found.version(),
                    found.applicationVersion(),
                    found.queues(),
                    found.concurrency(),
                    found.status(),
                    found.startedAt(),
                    found.lastBeatAt(),
                    found.silentSeconds(),
                    found.running(),
                    found.drainingSince(),
                    found.drainingBy());
        }
    }

    record Workers(List<Worker> workers) implements OperationResponseBody {}

    record TaskView(
            long id,
            String queue,
            String type,
            String status,
            String priority,
            Instant runAt,
            int attempts,
            @Nullable Integer maxAttempts,
            @Nullable Boolean reapable,
            int zombieCount,
            @Nullable String holdReason,
            @Nullable String uniqueKey,
            Instant createdAt,
            @Nullable Instant finishedAt,
            @Nullable Instant lastCheckpointAt,
            String idempotencyKey,
            @Nullable String lastErrorClass) {

        static TaskView of(Task task) {
            return new TaskView(
                    task.id().value(),
                    task.queue(),
                    task.type(),
                    task.status().name(),
                    task.priority().name(),
                    task.runAt(),
                    task.attempts(),
                    task.maxAttempts(),
                    task.reapable(),
                    task.zombieCount(),
                    text(task.holdReason()),
                    task.uniqueKey(),
                    task.createdAt(),
                    task.finishedAt(),
                    task.lastCheckpointAt(),
                    task.idempotencyKey(),
                    task.lastError() == null ? null : task.lastError().type());
        }
    }

    record Tasks(
            List<TaskView> tasks, int examined, @Nullable String next) implements OperationResponseBody {}

    record Zombies(int above, List<TaskView> zombies) implements OperationResponseBody {}

    record LeaseView(
            long epoch,
            String worker,
            @Nullable String workerName,
            @Nullable String workerHost,
            @Nullable String workerStatus,
            @Nullable Instant startedAt,
            @Nullable Instant endsAt) {}

    record Story(
            String explanation,
            Instant moment,
            TaskView task,
            @Nullable LeaseView lease,
            @Nullable String lastErrorClass,
            List<ErrorView> errors,
            List<IncidentView> incidents,
            ContentView contents)
            implements OperationResponseBody {

        static Story of(TaskStory found, List<ErrorView> errors, ContentView contents) {
            Task task = found.task();
            return new Story(
                    found.explanation(),
                    found.moment(),
                    TaskView.of(task),
                    task.lockedBy() == null
                            ? null
                            : new LeaseView(
                                    task.leaseEpoch(),
                                    task.lockedBy().toString(),
                                    found.ownerName(),
                                    found.ownerHost(),
                                    found.ownerStatus(),
                                    task.lockedAt(),
                                    task.lockTimeoutAt()),
                    lastError(errors),
                    errors,
                    found.incidents().stream().map(IncidentView::of).toList(),
                    contents);
        }

        /** One that was refused says nothing about the task. */
        private static @Nullable String lastError(List<ErrorView> errors) {
            return errors.stream()
                    .filter(error -> !error.outcome().equals("REFUSED"))
                    .map(ErrorView::type)
                    .findFirst()
                    .orElse(null);
        }
    }

    record HeldView(
            long id,
            String queue,
            String type,
            String reason,
            int attempts,
            int zombieCount,
            @Nullable String uniqueKey,
            String idempotencyKey,
            Instant createdAt,
            @Nullable Instant lastCheckpointAt,
            @Nullable Instant heldAt,
            @Nullable String previousOwner,
            @Nullable Instant leaseStartedAt,
            @Nullable Instant leaseEndedAt,
            @Nullable String lateOutcome,
            @Nullable Instant lateOutcomeAt,
            @Nullable String lastErrorClass,
            @Nullable ContentView contents) {

        static HeldView of(HeldTask found, @Nullable ContentView contents) {
            return new HeldView(
                    found.id().value(),
                    found.queue(),
                    found.type(),
                    found.reason().name(),
                    found.attempts(),
                    found.zombieCount(),
                    found.uniqueKey(),
                    found.idempotencyKey(),
                    found.createdAt(),
                    found.lastCheckpointAt(),
                    found.heldAt(),
                    text(found.previousOwner()),
                    found.leaseStartedAt(),
                    found.leaseEndedAt(),
                    found.lateOutcome(),
                    found.lateOutcomeAt(),
                    found.lastError() == null ? null : found.lastError().type(),
                    contents);
        }
    }

    record Held(List<HeldView> held, @Nullable String next) implements OperationResponseBody {}

    record IncidentView(
            long id,
            long task,
            String queue,
            String type,
            String classification,
            String action,
            String actor,
            @Nullable String note,
            @Nullable String previousOwner,
            long leaseEpoch,
            @Nullable Instant leaseStartedAt,
            @Nullable Instant leaseEndedAt,
            Instant detectedAt,
            @Nullable Long detectionDelayMillis,
            int attempts,
            int zombieCount,
            @Nullable String lateOutcome,
            @Nullable Instant lateOutcomeAt,
            @Nullable String outcome,
            @Nullable Instant outcomeAt) {

        static IncidentView of(Incident found) {
            return new IncidentView(
                    found.id(),
                    found.taskId().value(),
                    found.queue(),
                    found.type(),
                    found.classification(),
                    found.action(),
                    found.actor(),
                    found.note(),
                    text(found.previousOwner()),
                    found.leaseEpoch(),
                    found.leaseStartedAt(),
                    found.leaseEndedAt(),
                    found.detectedAt(),
                    found.detectionDelay() == null
                            ? null
                            : found.detectionDelay().toMillis(),
                    found.attempts(),
                    found.zombieCount(),
                    found.lateOutcome(),
                    found.lateOutcomeAt(),
                    found.outcome(),
                    found.outcomeAt());
        }
    }

    record IncidentCountView(
            String type,
            String classification,
            String action,
            long incidents,
            long completed,
            long failed,
            long cancelled,
            long open,
            long workerWasAlive) {

        static IncidentCountView of(IncidentCount found) {
            return new IncidentCountView(
                    found.type(),
                    found.classification(),
                    found.action(),
                    found.incidents(),
                    found.completed(),
                    found.failed(),
                    found.cancelled(),
                    found.open(),
                    found.workerWasAlive());
        }
    }

    record Incidents(
            long sinceSeconds,
            @Nullable List<IncidentCountView> counts,
            List<IncidentView> incidents,
            @Nullable String next)
            implements OperationResponseBody {}

    record OrphanView(
            long id,
            String queue,
            String type,
            String owner,
            long leaseEpoch,
            Instant leaseStartedAt,
            Instant leaseEndedAt,
            int zombieCount,
            String wouldBecome) {

        static OrphanView of(Orphan found) {
            return new OrphanView(
                    found.id().value(),
                    found.queue(),
                    found.type(),
                    found.owner().toString(),
                    found.leaseEpoch(),
                    found.leaseStartedAt(),
                    found.leaseEndedAt(),
                    found.zombieCount(),
                    found.wouldBeHeld() == null ? "PENDING" : "HELD (" + found.wouldBeHeld() + ")");
        }
    }

    record Orphans(List<OrphanView> orphans) implements OperationResponseBody {}

    record DryRun(boolean dryRun, List<OrphanView> orphans) implements OperationResponseBody {}

    record Reclaim(
            boolean dryRun,
            int reclaimed,
            int held,
            int quarantined,
            int busy,
            double postponedSeconds,
            String explanation)
            implements OperationResponseBody {

        static Reclaim of(ReclaimResult result, String explanation) {
            return new Reclaim(
                    false,
                    result.reclaimed(),
                    result.held(),
                    result.quarantined(),
                    result.busy(),
                    result.postponed().toMillis() / 1000.0,
                    explanation);
        }
    }

    record AbandonedDryRun(boolean dryRun, long count, List<OrphanView> abandoned) implements OperationResponseBody {

        static AbandonedDryRun of(AbandonedTasks found) {
            return new AbandonedDryRun(
                    true,
                    found.count(),
                    found.first().stream().map(OrphanView::of).toList());
        }
    }

    record Decisions(List<Decision> decisions) implements OperationResponseBody {}

    record QueueDecision(String queue, boolean paused, String actor) implements OperationResponseBody {}

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : Objects.toString(value);
    }
}
