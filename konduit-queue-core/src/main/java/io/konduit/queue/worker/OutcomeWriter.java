package io.konduit.queue.worker;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.ReportedFailure;
import io.konduit.queue.store.Written;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a batch of outcomes, each kind with its own statement, and settles their leases by what the rows say. Used by the
 * completer's thread only, except {@link #forget}.
 */
final class OutcomeWriter {
    private static final Logger log = LoggerFactory.getLogger(OutcomeWriter.class);
    private static final String COMPLETED = "COMPLETED";
    private static final String FAILED = "FAILED";

    private final LeaseRepository leases;
    private final LateEvidence evidence;
    private final ActiveLeases active;
    private final WorkerEvents events;
    private final LossReason reason;
    private final LockedOutcomes locked;
    private final LongSupplier nanoTime;

    OutcomeWriter(
            LeaseRepository leases,
            LateEvidence evidence,
            ActiveLeases active,
            WorkerEvents events,
            LockedOutcomes locked,
            LongSupplier nanoTime) {
        this.leases = leases;
        this.evidence = evidence;
        this.active = active;
        this.events = events;
        this.reason = new LossReason(leases);
        this.locked = locked;
        this.nanoTime = nanoTime;
    }

    /** Writes a batch; returns the outcomes to retry. */
    List<Outcome> write(List<Outcome> batch) {
        List<Outcome.LeftToReaper> left = new ArrayList<>();
        List<Outcome.Completed> completed = new ArrayList<>(batch.size());
        List<Outcome.Failed> failed = new ArrayList<>();
        List<Outcome.GivenBack> givenBack = new ArrayList<>();
        for (Outcome outcome : batch) {
            boolean dropped = dropped(outcome);
            if (outcome instanceof Outcome.LeftToReaper each) {
                left.add(each);
            } else if (dropped) {
                continue;
            } else if (outcome instanceof Outcome.Completed each) {
                completed.add(each);
            } else if (outcome instanceof Outcome.Failed each) {
                failed.add(each);
            } else if (outcome instanceof Outcome.GivenBack each) {
                givenBack.add(each);
            }
        }
        List<Outcome> unwritten = new ArrayList<>();
        unwritten.addAll(attempt(left, this::writeInterrupted));
        unwritten.addAll(attempt(completed, this::writeCompleted));
        unwritten.addAll(attempt(failed, this::writeFailed));
        unwritten.addAll(attempt(givenBack, this::writeGivenBack));
        return unwritten;
    }

    private interface Writer<T> {
        void write(List<T> outcomes);
    }

    /**
     * One bad outcome must not hold up the others: after a failure that is not the connection's, each is written alone.
     */
    private <T extends Outcome> List<T> attempt(List<T> outcomes, Writer<T> writer) {
        if (outcomes.isEmpty()) {
            return List.of();
        }
        try {
            writer.write(outcomes);
            return List.of();
        } catch (RuntimeException e) {
            if (DatabaseErrors.mayPass(e)) {
                log.debug("{} outcomes could not be written yet", outcomes.size(), e);
                return outcomes;
            }
            if (outcomes.size() > 1) {
                return outcomes.stream()
                        .flatMap(outcome -> attempt(List.of(outcome), writer).stream())
                        .toList();
            }
            RunningTask execution = outcomes.get(0).execution();
            settle(execution);
            log.error(
                    "The outcome of {} cannot be written. The task stays RUNNING until its lease expires and the reaper takes it back. {}",
                    execution.task(),
                    ErrorText.withoutMessages(e));
            return List.of();
        }
    }

    private void writeCompleted(List<Outcome.Completed> outcomes) {
        // an outcome that has met a lock before does not wait for it again
        boolean patient = locked.isEmpty() || outcomes.stream().noneMatch(locked::contains);
        Written written =
                patient ? leases.completeSoon(leasesOf(outcomes)) : leases.completeUnlocked(leasesOf(outcomes));
        List<RunningTask> refused = new ArrayList<>();
        for (Outcome.Completed outcome : outcomes) {
            RunningTask execution = outcome.execution();
            if (written.applied().contains(execution.lease())) {
                settle(execution);
                events.completed(execution);
            } else if (written.busy().contains(execution.lease())) {
                setAside(outcome);
            } else {
                refused.add(execution);
            }
        }
        refuse(refused, COMPLETED);
    }

    private void writeFailed(List<Outcome.Failed> outcomes) {
        Map<Lease, ReportedFailure> results =
                leases.report(outcomes.stream().map(Outcome.Failed::failure).toList());
        List<Outcome.Failed> refused = new ArrayList<>();
        for (Outcome.Failed outcome : outcomes) {
            RunningTask execution = outcome.execution();
            ReportedFailure reported = results.get(execution.lease());
            if (reported == null || reported.result() == FailureResult.LOST) {
                refused.add(outcome);
            } else if (reported.result() == FailureResult.BUSY) {
                setAside(outcome);
            } else {
                settle(execution);
                events.failed(execution, reported, outcome.failure());
            }
        }
        refuse(refused.stream().map(Outcome.Failed::execution).toList(), FAILED);
        refused.forEach(evidence::refused);
    }

    private void writeGivenBack(List<Outcome.GivenBack> outcomes) {
        outcomes.stream()
                .collect(Collectors.groupingBy(Outcome.GivenBack::delay))
                .forEach((delay, group) -> {
                    Written written = leases.giveBackUnlocked(leasesOf(group), delay);
                    for (Outcome.GivenBack outcome : group) {
                        RunningTask execution = outcome.execution();
                        if (written.busy().contains(execution.lease())) {
                            setAside(outcome);
                            continue;
                        }
                        settle(execution);
                        if (written.applied().contains(execution.lease())) {
                            events.givenBack(execution);
                        }
                    }
                });
    }

    private void writeInterrupted(List<Outcome.LeftToReaper> outcomes) {
        outcomes.forEach(evidence::interrupted);
    }

    /** F2: the result came too late and changed nothing. It is recorded as evidence. */
    private void refuse(List<RunningTask> refused, String outcome) {
        for (RunningTask execution : refused) {
            settle(execution);
            execution.end(reason.of(execution));
            events.refused(execution);
        }
        evidence.late(refused, outcome);
    }

    /** A run whose lease is known to be lost is not reported. That it was alive is recorded as evidence. */
    private boolean dropped(Outcome outcome) {
        RunningTask execution = outcome.execution();
        if (!execution.dropsResult()) {
            return false;
        }
        settle(execution);
        reason.findOut(execution);
        RunningTask.End end = execution.ended();
        boolean lost = end == RunningTask.End.LOST || end == RunningTask.End.CANCELLED;
        if (lost) {
            events.refused(execution);
        }
        if (lost || end == RunningTask.End.SUPERSEDED) {
            evidence.late(List.of(execution), outcome instanceof Outcome.Completed ? COMPLETED : FAILED);
            if (outcome instanceof Outcome.Failed failed) {
                evidence.refused(failed);
            }
        } else if (end == RunningTask.End.LEFT_TO_REAPER && outcome instanceof Outcome.Failed failed) {
            evidence.interrupted(failed);
        }
        return true;
    }

    /** The row is locked elsewhere: the outcome is retried apart from the others. */
    void setAside(Outcome outcome) {
        log.debug(
                "The outcome of {} waits: its row is locked by another transaction",
                outcome.execution().task());
        locked.add(outcome, nanoTime.getAsLong());
    }

    /** The outcome is written, refused or given up. */
    void settle(RunningTask execution) {
        locked.remove(execution);
        forget(execution);
    }

    /** The same for an outcome that was never set aside. */
    void forget(RunningTask execution) {
        active.remove(execution);
        execution.settled();
    }

    private static Collection<Lease> leasesOf(List<? extends Outcome> outcomes) {
        return outcomes.stream().map(outcome -> outcome.execution().lease()).toList();
    }
}
