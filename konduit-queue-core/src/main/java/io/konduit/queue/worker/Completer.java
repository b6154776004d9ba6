package io.konduit.queue.worker;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.store.DatabaseErrors;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.LeaseRepository.Written;
import io.konduit.queue.store.ReportedFailure;
import io.konduit.queue.store.RunError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Writes outcomes, as many at once as have come in while the last ones were written, so that one commit serves many
 * tasks and a single one waits for nobody. An outcome that cannot be written is tried again until the database
 * answers; a crash before that means another run, which at-least-once allows. One whose row somebody else has locked is
 * set aside, so that it keeps no other waiting.
 */
final class Completer {
    private static final Logger log = LoggerFactory.getLogger(Completer.class);
    private static final String COMPLETED = "COMPLETED";
    private static final String FAILED = "FAILED";
    private static final Set<String> ENDED_BY_US =
            Set.of(InterruptedException.class.getName(), LeaseLostException.class.getName());
    private static final int MOST_AT_ONCE = 2_000;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Duration LONGEST_LOOK = Duration.ofMillis(100);

    private final LeaseRepository leases;
    private final IncidentRepository incidents;
    private final ActiveLeases active;
    private final WorkerEvents events;
    private final LossReason reason;
    private final BlockingQueue<Outcome> waiting = new LinkedBlockingQueue<>();
    private final LockedOutcomes locked = new LockedOutcomes();
    /** What the loop has taken and not settled: an Error may end the loop, which is then entered anew. */
    private final List<Outcome> inHand = new ArrayList<>();

    private volatile boolean stopped;

    Completer(LeaseRepository leases, IncidentRepository incidents, ActiveLeases active, WorkerEvents events) {
        this.leases = leases;
        this.incidents = incidents;
        this.active = active;
        this.events = events;
        this.reason = new LossReason(leases);
    }

    void report(Outcome outcome) {
        if (outcome instanceof Outcome.Written written) {
            forget(written.execution());
            events.completed(written.execution());
        } else if (outcome instanceof Outcome.LeftToReaper left) {
            forget(left.execution());
            waiting.add(left);
        } else {
            outcome.execution().reported();
            waiting.add(outcome);
        }
    }

    /** The loop of the completer's thread: ends after {@link #stop} when nothing is waiting. */
    void run() {
        Duration pause = FIRST_PAUSE;
        while (true) {
            WorkerThreads.stepped();
            try {
                putBack();
                long look = locked.untilNext(System.nanoTime(), LONGEST_LOOK).toNanos();
                Outcome first = waiting.poll(look, TimeUnit.NANOSECONDS);
                if (first != null) {
                    inHand.add(first);
                }
                retryLocked();
                if (first == null) {
                    if (stopped && waiting.isEmpty() && locked.isEmpty()) {
                        return;
                    }
                    continue;
                }
                waiting.drainTo(inHand, MOST_AT_ONCE - 1);
                List<Outcome> unwritten = writeOrDrop(inHand);
                if (unwritten.isEmpty()) {
                    inHand.clear();
                    pause = FIRST_PAUSE;
                } else {
                    // these are settled, so that putBack leaves them out
                    waiting.addAll(select(unwritten, Outcome.LeftToReaper.class));
                    putBack();
                    TimeUnit.MILLISECONDS.sleep(pause.toMillis());
                    pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
                }
            } catch (InterruptedException e) {
                int unwritten = waiting.size() + locked.size();
                if (unwritten > 0) {
                    log.warn("{} outcomes were not written: their tasks come back when their leases end", unwritten);
                }
                return;
            }
        }
    }

    /** What is not settled waits again; what somebody else has locked waits apart. */
    private void putBack() {
        for (Outcome outcome : inHand) {
            if (!outcome.execution().isSettled() && !locked.contains(outcome)) {
                waiting.add(outcome);
            }
        }
        inHand.clear();
    }

    /** Ends the loop once everything is written. */
    void stop() {
        stopped = true;
    }

    /** An error that nobody expected must not end the loop, nor keep leases alive for outcomes that never come. */
    private List<Outcome> writeOrDrop(List<Outcome> batch) {
        try {
            return write(batch);
        } catch (VirtualMachineError e) {
            // want of memory passes: the loop begins again with what it has in hand, which can be written twice
            throw e;
        } catch (RuntimeException | Error e) {
            batch.forEach(outcome -> settle(outcome.execution()));
            log.error(
                    "The completer met an unexpected error and goes on. Tasks whose outcome was not written come back when their leases end: {} {}",
                    batch.stream().map(outcome -> outcome.execution().task()).toList(),
                    ErrorText.withoutMessages(e));
            return List.of();
        }
    }

    private void retryLocked() {
        List<Outcome> due = locked.due(System.nanoTime());
        if (!due.isEmpty()) {
            // what the database did not answer to waits for its next turn too
            writeOrDrop(due).forEach(this::setAside);
        }
    }

    private void setAside(Outcome outcome) {
        log.debug(
                "The outcome of {} waits: somebody else has its row locked",
                outcome.execution().task());
        locked.add(outcome, System.nanoTime());
    }

    /** Nothing is left to do for this lease. */
    private void settle(Execution execution) {
        locked.remove(execution);
        forget(execution);
    }

    private void forget(Execution execution) {
        active.remove(execution);
        execution.settled();
    }

    /** Writes a batch; returns what could not be written and should be tried again. */
    List<Outcome> write(List<Outcome> batch) {
        List<Outcome> current =
                batch.stream().filter(outcome -> !dropped(outcome)).toList();
        List<Outcome> unwritten = new ArrayList<>();
        unwritten.addAll(attempt(select(batch, Outcome.LeftToReaper.class), this::noteInterrupted));
        unwritten.addAll(attempt(select(current, Outcome.Completed.class), this::writeCompleted));
        unwritten.addAll(attempt(select(current, Outcome.Failed.class), this::writeFailed));
        unwritten.addAll(attempt(select(current, Outcome.GivenBack.class), this::writeGivenBack));
        return unwritten;
    }

    private interface Writer<T> {
        void write(List<T> outcomes);
    }

    /** One bad outcome must not keep the others back: after a failure that is not the connection's, each goes alone. */
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
            Execution execution = outcomes.get(0).execution();
            settle(execution);
            log.error(
                    "The outcome of {} cannot be written. The task stays RUNNING until its lease ends and the reaper takes it back. {}",
                    execution.task(),
                    ErrorText.withoutMessages(e));
            return List.of();
        }
    }

    private void writeCompleted(List<Outcome.Completed> outcomes) {
        // what has met a lock before does not wait for it again
        boolean patient = outcomes.stream().noneMatch(locked::contains);
        Written written =
                patient ? leases.completeSoon(leasesOf(outcomes)) : leases.completeUnlocked(leasesOf(outcomes));
        List<Execution> refused = new ArrayList<>();
        for (Outcome.Completed outcome : outcomes) {
            Execution execution = outcome.execution();
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
            Execution execution = outcome.execution();
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
        refused.forEach(this::noteRefused);
    }

    private void writeGivenBack(List<Outcome.GivenBack> outcomes) {
        outcomes.stream()
                .collect(Collectors.groupingBy(Outcome.GivenBack::delay))
                .forEach((delay, group) -> {
                    Written written = leases.giveBackUnlocked(leasesOf(group), delay);
                    for (Outcome.GivenBack outcome : group) {
                        Execution execution = outcome.execution();
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

    /** F2: the result came too late. Nothing was changed by it; that it came is evidence. */
    private void refuse(List<Execution> refused, String outcome) {
        for (Execution execution : refused) {
            settle(execution);
            execution.end(reason.of(execution));
            events.refused(execution);
        }
        recordLate(refused, outcome);
    }

    /** A run that is known to be lost is not reported; that it was alive is evidence too. */
    private boolean dropped(Outcome outcome) {
        Execution execution = outcome.execution();
        if (!execution.dropsResult()) {
            return false;
        }
        settle(execution);
        reason.findOut(execution);
        Execution.End end = execution.ended();
        boolean lost = end == Execution.End.LOST || end == Execution.End.CANCELLED;
        if (lost) {
            events.refused(execution);
        }
        if (lost || end == Execution.End.SUPERSEDED) {
            recordLate(List.of(execution), outcome instanceof Outcome.Completed ? COMPLETED : FAILED);
            if (outcome instanceof Outcome.Failed failed) {
                noteRefused(failed);
            }
        } else if (end == Execution.End.LEFT_TO_REAPER && outcome instanceof Outcome.Failed failed) {
            note(
                    outcome,
                    () -> noteInterrupted(List.of(
                            new Outcome.LeftToReaper(execution, failed.failure().error()))));
        }
        return true;
    }

    /** Why a run that nobody waits for any more failed, unless it only did what it was told. */
    private void noteRefused(Outcome.Failed outcome) {
        RunError error = outcome.failure().error();
        if (!ENDED_BY_US.contains(error.type())) {
            note(outcome, () -> incidents.recordRefused(outcome.execution().lease(), leases.worker(), error));
        }
    }

    private void noteInterrupted(List<Outcome.LeftToReaper> outcomes) {
        for (Outcome.LeftToReaper outcome : outcomes) {
            incidents.recordInterrupted(outcome.execution().lease(), leases.worker(), outcome.error());
        }
    }

    private static void note(Outcome outcome, Runnable evidence) {
        try {
            evidence.run();
        } catch (DataAccessException e) {
            log.warn(
                    "The error of {} could not be noted as evidence",
                    outcome.execution().task());
        }
    }

    private void recordLate(List<Execution> refused, String outcome) {
        if (refused.isEmpty()) {
            return;
        }
        try {
            events.falselyReclaimed(incidents.recordLateOutcome(
                    refused.stream().map(Execution::lease).toList(), leases.worker(), outcome));
        } catch (DataAccessException e) {
            log.warn(
                    "The late results of {} could not be noted as evidence",
                    refused.stream().map(Execution::task).toList());
        }
    }

    private static <T extends Outcome> List<T> select(List<Outcome> all, Class<T> kind) {
        return all.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static Collection<Lease> leasesOf(List<? extends Outcome> outcomes) {
        return outcomes.stream().map(outcome -> outcome.execution().lease()).toList();
    }
}
