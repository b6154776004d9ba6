package io.konduit.queue.worker;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.RunError;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** Records on the incidents of a task what its lost and interrupted runs did. Evidence that cannot be written is only logged. */
final class LateEvidence {
    private static final Logger log = LoggerFactory.getLogger(LateEvidence.class);
    private static final Set<String> ENDED_BY_US =
            Set.of(InterruptedException.class.getName(), LeaseLostException.class.getName());

    private final IncidentRepository incidents;
    private final UUID worker;
    private final WorkerEvents events;

    LateEvidence(IncidentRepository incidents, UUID worker, WorkerEvents events) {
        this.incidents = incidents;
        this.worker = worker;
        this.events = events;
    }

    /** F2: results that came too late. */
    void late(List<RunningTask> refused, String outcome) {
        if (refused.isEmpty()) {
            return;
        }
        try {
            events.falselyReclaimed(incidents.recordLateOutcome(
                    refused.stream().map(RunningTask::lease).toList(), worker, outcome));
        } catch (DataAccessException e) {
            log.warn(
                    "The late results of {} could not be recorded as evidence",
                    refused.stream().map(RunningTask::task).toList());
        }
    }

    /** Why a zombie run failed, unless it only failed because it was interrupted. */
    void refused(Outcome.Failed outcome) {
        RunError error = outcome.failure().error();
        if (ENDED_BY_US.contains(error.type())) {
            return;
        }
        try {
            incidents.recordRefused(outcome.run().lease(), worker, error);
        } catch (DataAccessException e) {
            warn(outcome);
        }
    }

    /** How a run ended whose lease is left to the reaper. */
    void interrupted(Outcome.Failed outcome) {
        try {
            interrupted(
                    new Outcome.LeftToReaper(outcome.run(), outcome.failure().error()));
        } catch (DataAccessException e) {
            warn(outcome);
        }
    }

    /**
     * The same, for an outcome that is retried.
     *
     * @throws DataAccessException if it cannot be written
     */
    void interrupted(Outcome.LeftToReaper outcome) {
        incidents.recordInterrupted(outcome.run().lease(), worker, outcome.error());
    }

    private static void warn(Outcome outcome) {
        log.warn(
                "The error of {} could not be recorded as evidence",
                outcome.run().task());
    }
}
