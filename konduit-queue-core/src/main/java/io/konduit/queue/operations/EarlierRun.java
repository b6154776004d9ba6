package io.konduit.queue.operations;

import io.konduit.queue.Task;
import io.konduit.queue.admin.Incident;
import io.konduit.queue.admin.IncidentAction;
import io.konduit.queue.admin.RegisteredWorker;
import io.konduit.queue.review.TaskSituation;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Explains that a handler of a task may still be running although its worker no longer holds the task: the task was
 * cancelled, or the handler ignored its time limit. A worker reports when such a run has ended. Until then, while the
 * worker is alive, it is unknown.
 */
final class EarlierRun {
    private static final Set<IncidentAction> TAKEN = Set.of(IncidentAction.RECLAIMED, IncidentAction.HELD);
    private static final Set<IncidentAction> CANCELLED = Set.of(IncidentAction.CANCELLED);

    private final Supplier<List<RegisteredWorker>> activeWorkers;

    /**
     * @param activeWorkers evaluated only when there may be such a run
     */
    EarlierRun(Supplier<List<RegisteredWorker>> activeWorkers) {
        this.activeWorkers = activeWorkers;
    }

    /** A continuation sentence; empty when no earlier run can be alive. */
    String after(TaskSituation found, List<Incident> incidents) {
        Task task = found.task();
        return switch (task.status()) {
            case CANCELLED -> cancelled(found, incidents);
            case PENDING -> pending(found, incidents);
            case RUNNING, HELD, FAILED, COMPLETED -> "";
        };
    }

    private String cancelled(TaskSituation found, List<Incident> incidents) {
        Optional<Incident> cancel = newestLoss(incidents, CANCELLED);
        if (cancel.isEmpty()) {
            return "";
        }
        Incident incident = cancel.get();
        if (incident.lateOutcome() != null) {
            return " Its handler was running then and ended at " + incident.lateOutcomeAt()
                    + "; its result was dropped.";
        }
        return owner(incident, worker -> true)
                .map(
                        worker -> " It was running then on worker " + worker
                                + ": its handler is interrupted within seconds"
                                + (incident.leaseEndedAt() != null
                                                && incident.leaseEndedAt().isAfter(found.now())
                                        ? ", or without a connection to the database by " + incident.leaseEndedAt()
                                        : "")
                                + ", but may still be running if it ignores interrupts. Its end has not been reported. Its result will be dropped.")
                .orElse("");
    }

    private String pending(TaskSituation found, List<Incident> incidents) {
        Task task = found.task();
        if (task.runAt().isAfter(found.now())) {
            return "";
        }
        return newestLoss(incidents, TAKEN)
                .filter(incident -> incident.lateOutcome() == null)
                .flatMap(
                        // a worker without a heartbeat since then was killed
                        incident -> owner(
                                        incident, worker -> worker.lastBeatAt().isAfter(incident.detectedAt()))
                                .map(
                                        worker -> " Worker " + worker + " lost it at " + incident.detectedAt()
                                                + " and has not reported that its handler ended: it may hang there. That worker will not take the task again before that; its log has the handler's stack."))
                .orElse("");
    }

    private static Optional<Incident> newestLoss(List<Incident> incidents, Set<IncidentAction> actions) {
        return incidents.stream()
                .filter(incident -> incident.previousOwner() != null)
                .findFirst()
                .filter(incident -> actions.contains(incident.action()));
    }

    private Optional<String> owner(Incident incident, Predicate<RegisteredWorker> alive) {
        UUID owner = incident.previousOwner();
        return activeWorkers.get().stream()
                .filter(worker -> worker.id().equals(owner) && alive.test(worker))
                .findFirst()
                .map(worker -> "'" + worker.name() + "' (" + worker.id() + " on " + worker.host() + ")");
    }
}
