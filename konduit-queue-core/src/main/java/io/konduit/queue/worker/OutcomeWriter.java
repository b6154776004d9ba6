package io.konduit.queue.worker;

import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.ReportedFailure;
import io.konduit.queue.store.Written;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
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
    private static final String SNOOZED = "SNOOZED";

    private final LeaseRepository leases;
    private final LateEvidence evidence;
    private final ActiveLeases active;
    private final WorkerEvents events;
    private final Later later;
    private final LossReason reason;
    private final LockedOutcomes locked;
    private final LongSupplier nanoTime;

    OutcomeWriter(
            LeaseRepository leases,
            LateEvidence evidence,
            ActiveLeases active,
            WorkerEvents events,
            Later later,
            LockedOutcomes locked,
            LongSupplier nanoTime) {
        this.leases = leases;
        this.evidence = evidence;
        this.active = active;
        this.events = events;
        this.later = later;
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
        List<Outcome.Snoozed> snoozed = new ArrayList<>();
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
            } else if (outcome instanceof Outcome.Snoozed each) {
                snoozed.add(each);
            }
        }
        List<Outcome> unwritten = new ArrayList<>();
        unwritten.addAll(attempt(left, this::writeInterrupted));
        unwritten.addAll(attempt(completed, this::writeCompleted));
        unwritten.addAll(attempt(failed, this::writeFailed));
        unwritten.addAll(attempt(givenBack, this::writeGivenBack));
        unwritten.addAll(attempt(snoozed, this::writeSnoozed));
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
            RunningTask run = outcomes.get(0).run();
            settle(run);
            log.error(
                    "The outcome of {} cannot be written. The task stays RUNNING until its lease expires and the reaper takes it back. {}",
                    run.task(),
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
            RunningTask run = outcome.run();
            if (written.applied().contains(run.lease())) {
                settle(run);
                events.completed(run);
            } else if (written.busy().contains(run.lease())) {
                setAside(outcome);
            } else {
                refused.add(run);
            }
        }
        refuse(refused, COMPLETED);
    }

    private void writeFailed(List<Outcome.Failed> outcomes) {
        Map<Lease, ReportedFailure> results =
                leases.report(outcomes.stream().map(Outcome.Failed::failure).toList());
        List<Outcome.Failed> refused = new ArrayList<>();
        for (Outcome.Failed outcome : outcomes) {
            RunningTask run = outcome.run();
            ReportedFailure reported = results.get(run.lease());
            if (reported == null || reported.result() == FailureResult.LOST) {
                refused.add(outcome);
            } else if (reported.result() == FailureResult.BUSY) {
                setAside(outcome);
            } else {
                settle(run);
                events.failed(run, reported, outcome.failure());
                if (reported.result() != FailureResult.FINAL) {
                    later.dueIn(run.task().queue(), outcome.failure().backoff());
                }
            }
        }
        refuse(refused.stream().map(Outcome.Failed::run).toList(), FAILED);
        refused.forEach(evidence::refused);
    }

    private void writeGivenBack(List<Outcome.GivenBack> outcomes) {
        outcomes.stream()
                .collect(Collectors.groupingBy(Outcome.GivenBack::delay))
                .forEach((delay, group) -> {
                    Written written = leases.giveBackUnlocked(leasesOf(group), delay);
                    for (Outcome.GivenBack outcome : group) {
                        RunningTask run = outcome.run();
                        if (written.busy().contains(run.lease())) {
                            setAside(outcome);
                            continue;
                        }
                        settle(run);
                        if (written.applied().contains(run.lease())) {
                            events.givenBack(run);
                            later.dueIn(run.task().queue(), delay);
                        }
                    }
                });
    }

    private void writeSnoozed(List<Outcome.Snoozed> outcomes) {
        Map<Lease, Duration> delays = new LinkedHashMap<>();
        outcomes.forEach(outcome -> delays.put(outcome.run().lease(), outcome.delay()));
        Written written = leases.snoozeUnlocked(delays);
        List<RunningTask> refused = new ArrayList<>();
        for (Outcome.Snoozed outcome : outcomes) {
            RunningTask run = outcome.run();
            if (written.applied().contains(run.lease())) {
                settle(run);
                events.snoozed(run, outcome.delay());
                later.dueIn(run.task().queue(), outcome.delay());
            } else if (written.busy().contains(run.lease())) {
                setAside(outcome);
            } else {
                refused.add(run);
            }
        }
        refuse(refused, SNOOZED);
    }

    private void writeInterrupted(List<Outcome.LeftToReaper> outcomes) {
        outcomes.forEach(evidence::interrupted);
    }

    /** F2: the result came too late and changed nothing. It is recorded as evidence. */
    private void refuse(List<RunningTask> refused, String outcome) {
        for (RunningTask run : refused) {
            settle(run);
            run.end(reason.of(run));
            events.refused(run);
        }
        evidence.late(refused, outcome);
    }

    /** A run whose lease is known to be lost is not reported. That it was alive is recorded as evidence. */
    private boolean dropped(Outcome outcome) {
        RunningTask run = outcome.run();
        if (!run.dropsResult()) {
            return false;
        }
        settle(run);
        reason.findOut(run);
        RunningTask.End end = run.ended();
        boolean lost = end == RunningTask.End.LOST || end == RunningTask.End.CANCELLED;
        if (lost) {
            events.refused(run);
        }
        if (lost || end == RunningTask.End.SUPERSEDED) {
            evidence.late(List.of(run), kindOf(outcome));
            if (outcome instanceof Outcome.Failed failed) {
                evidence.refused(failed);
            }
        } else if (end == RunningTask.End.LEFT_TO_REAPER && outcome instanceof Outcome.Failed failed) {
            evidence.interrupted(failed);
        }
        return true;
    }

    private static String kindOf(Outcome outcome) {
        return outcome instanceof Outcome.Completed ? COMPLETED : outcome instanceof Outcome.Snoozed ? SNOOZED : FAILED;
    }

    /** The row is locked elsewhere: the outcome is retried apart from the others. */
    void setAside(Outcome outcome) {
        log.debug(
                "The outcome of {} waits: its row is locked by another transaction",
                outcome.run().task());
        locked.add(outcome, nanoTime.getAsLong());
    }

    /** The outcome is written, refused or given up. */
    void settle(RunningTask run) {
        locked.remove(run);
        forget(run);
    }

    /** The same for an outcome that was never set aside. */
    void forget(RunningTask run) {
        active.remove(run);
        run.settled();
    }

    private static Collection<Lease> leasesOf(List<? extends Outcome> outcomes) {
        return outcomes.stream().map(outcome -> outcome.run().lease()).toList();
    }
}
