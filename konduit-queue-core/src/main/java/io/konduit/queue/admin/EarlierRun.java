package io.konduit.queue.admin;

import io.konduit.queue.Incident;
import io.konduit.queue.Task;
import io.konduit.queue.store.InspectionRepository.Circumstances;
import io.konduit.queue.store.InspectionRepository.Worker;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Says that a handler of a task may still be running although its worker does not have the task any more: somebody
 * cancelled it, or it ignored its time limit. A worker tells when such a run has ended; until then, while the worker is
 * alive, nobody knows.
 */
final class EarlierRun {
    private static final Set<String> TAKEN = Set.of("RECLAIMED", "HELD");
    private static final Set<String> CANCELLED = Set.of("CANCELLED");

    private final Supplier<List<Worker>> activeWorkers;

    /**
     * @param activeWorkers asked only when there may be such a run
     */
    EarlierRun(Supplier<List<Worker>> activeWorkers) {
        this.activeWorkers = activeWorkers;
    }

    /** A sentence to go on with; empty when no earlier run can be alive. */
    String after(Circumstances found, List<Incident> incidents) {
        Task task = found.task();
        return switch (task.status()) {
            case CANCELLED -> cancelled(found, incidents);
            case PENDING -> pending(found, incidents);
            case RUNNING, HELD, FAILED, COMPLETED -> "";
        };
    }

    private String cancelled(Circumstances found, List<Incident> incidents) {
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
                                                && incident.leaseEndedAt().isAfter(found.moment())
                                        ? ", or without a connection to the database by " + incident.leaseEndedAt()
                                        : "")
                                + ", but may still be running if it ignores interrupts. It has not told that it ended. Its result will be dropped.")
                .orElse("");
    }

    private String pending(Circumstances found, List<Incident> incidents) {
        Task task = found.task();
        if (task.runAt().isAfter(found.moment())) {
            return "";
        }
        return newestLoss(incidents, TAKEN)
                .filter(incident -> incident.lateOutcome() == null)
                .flatMap(
                        // a worker that has not beaten since was killed
                        incident -> owner(
                                        incident, worker -> worker.lastBeatAt().isAfter(incident.detectedAt()))
                                .map(
                                        worker -> " Worker " + worker + " lost it at " + incident.detectedAt()
                                                + " and has not told that its handler ended: it may hang there. That worker takes the task again only after that; its log says where the handler is."))
                .orElse("");
    }

    private static Optional<Incident> newestLoss(List<Incident> incidents, Set<String> actions) {
        return incidents.stream()
                .filter(incident -> incident.previousOwner() != null)
                .findFirst()
                .filter(incident -> actions.contains(incident.action()));
    }

    private Optional<String> owner(Incident incident, Predicate<Worker> alive) {
        UUID owner = incident.previousOwner();
        return activeWorkers.get().stream()
                .filter(worker -> worker.id().equals(owner) && alive.test(worker))
                .findFirst()
                .map(worker -> "'" + worker.name() + "' (" + worker.id() + " on " + worker.host() + ")");
    }
}
