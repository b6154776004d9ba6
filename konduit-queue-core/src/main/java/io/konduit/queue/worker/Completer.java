package io.konduit.queue.worker;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.jdbc.DatabaseErrors;
import io.konduit.queue.store.FailureResult;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.LeaseRepository.Written;
import io.konduit.queue.store.ReportedFailure;
import io.konduit.queue.store.RunError;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Writes outcomes in batches: each batch holds what has arrived while the previous one was written. One commit serves
 * many tasks, and a single outcome never waits for others. An outcome that cannot be written is retried until the
 * database answers. A crash before that means another run, which at-least-once allows. An outcome whose row is locked
 * elsewhere is set aside, so that it does not delay the others.
 */
final class Completer {
    private static final Logger log = LoggerFactory.getLogger(Completer.class);
    private static final String COMPLETED = "COMPLETED";
    private static final String FAILED = "FAILED";
    private static final Set<String> ENDED_BY_US =
            Set.of(InterruptedException.class.getName(), LeaseLostException.class.getName());
    private static final int MAX_AT_ONCE = 2_000;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Duration LONGEST_LOOK = Duration.ofMillis(100);

    private final LeaseRepository leases;
    private final IncidentRepository incidents;
    private final ActiveLeases active;
    private final WorkerEvents events;
    private final LossReason reason;
    private final LongSupplier nanoTime;
    private final BlockingQueue<Outcome> waiting = new LinkedBlockingQueue<>();
    private final LockedOutcomes locked = new LockedOutcomes();
    /** Outcomes taken from the queue and not settled. An Error may end the loop, which is then entered again. */
    private final List<Outcome> inHand = new ArrayList<>();

    private Duration pause = FIRST_PAUSE;

    private volatile boolean stopped;

    Completer(
            LeaseRepository leases,
            IncidentRepository incidents,
            ActiveLeases active,
            WorkerEvents events,
            LongSupplier nanoTime) {
        this.leases = leases;
        this.incidents = incidents;
        this.active = active;
        this.events = events;
        this.reason = new LossReason(leases);
        this.nanoTime = nanoTime;
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
        pause = FIRST_PAUSE;
        while (true) {
            QueueThreads.stepped();
            try {
                if (stopped && isIdle()) {
                    return;
                }
                Duration rest = writeOnce(locked.untilNext(nanoTime.getAsLong(), LONGEST_LOOK));
                if (!rest.isZero()) {
                    TimeUnit.MILLISECONDS.sleep(rest.toMillis());
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

    /** Whether no outcome waits to be written. */
    boolean isIdle() {
        return waiting.isEmpty() && locked.isEmpty() && inHand.isEmpty();
    }

    /**
     * One pass: writes what waits, and what was locked and is due again.
     *
     * @param look how long to wait for an outcome when there is none
     * @return how long to rest before the next pass; zero unless the database did not answer
     */
    Duration writeOnce(Duration look) throws InterruptedException {
        putBack();
        Outcome first = waiting.poll(look.toNanos(), TimeUnit.NANOSECONDS);
        if (first != null) {
            inHand.add(first);
        }
        retryLocked();
        if (first == null) {
            return Duration.ZERO;
        }
        waiting.drainTo(inHand, MAX_AT_ONCE - 1);
        List<Outcome> unwritten = writeOrDrop(inHand);
        if (unwritten.isEmpty()) {
            inHand.clear();
            pause = FIRST_PAUSE;
            return Duration.ZERO;
        }
        // these are settled, so putBack leaves them out
        waiting.addAll(select(unwritten, Outcome.LeftToReaper.class));
        putBack();
        Duration rest = pause;
        pause = pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
        return rest;
    }

    /** Unsettled outcomes wait again; those whose rows are locked elsewhere wait apart. */
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

    /** An unexpected error must not end the loop, nor keep leases alive for outcomes that never come. */
    private List<Outcome> writeOrDrop(List<Outcome> batch) {
        try {
            return write(batch);
        } catch (VirtualMachineError e) {
            // memory may become available again: the loop restarts with the outcomes in hand, which are safe to write
            // twice
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
        List<Outcome> due = locked.due(nanoTime.getAsLong());
        if (!due.isEmpty()) {
            // outcomes that the database did not answer wait for their next turn too
            writeOrDrop(due).forEach(this::setAside);
        }
    }

    private void setAside(Outcome outcome) {
        log.debug(
                "The outcome of {} waits: its row is locked by another transaction",
                outcome.execution().task());
        locked.add(outcome, nanoTime.getAsLong());
    }

    /** This lease is settled. */
    private void settle(RunningTask execution) {
        locked.remove(execution);
        forget(execution);
    }

    private void forget(RunningTask execution) {
        active.remove(execution);
        execution.settled();
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
        unwritten.addAll(attempt(left, this::noteInterrupted));
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
                    "The outcome of {} cannot be written. The task stays RUNNING until its lease ends and the reaper takes it back. {}",
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
        refused.forEach(this::noteRefused);
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

    /** F2: the result came too late and changed nothing. It is recorded as evidence. */
    private void refuse(List<RunningTask> refused, String outcome) {
        for (RunningTask execution : refused) {
            settle(execution);
            execution.end(reason.of(execution));
            events.refused(execution);
        }
        recordLate(refused, outcome);
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
            recordLate(List.of(execution), outcome instanceof Outcome.Completed ? COMPLETED : FAILED);
            if (outcome instanceof Outcome.Failed failed) {
                noteRefused(failed);
            }
        } else if (end == RunningTask.End.LEFT_TO_REAPER && outcome instanceof Outcome.Failed failed) {
            note(
                    outcome,
                    () -> noteInterrupted(List.of(
                            new Outcome.LeftToReaper(execution, failed.failure().error()))));
        }
        return true;
    }

    /** Why a zombie run failed, unless it only failed because it was interrupted. */
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
                    "The error of {} could not be recorded as evidence",
                    outcome.execution().task());
        }
    }

    private void recordLate(List<RunningTask> refused, String outcome) {
        if (refused.isEmpty()) {
            return;
        }
        try {
            events.falselyReclaimed(incidents.recordLateOutcome(
                    refused.stream().map(RunningTask::lease).toList(), leases.worker(), outcome));
        } catch (DataAccessException e) {
            log.warn(
                    "The late results of {} could not be recorded as evidence",
                    refused.stream().map(RunningTask::task).toList());
        }
    }

    private static <T extends Outcome> List<T> select(List<Outcome> all, Class<T> kind) {
        return all.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static Collection<Lease> leasesOf(List<? extends Outcome> outcomes) {
        return outcomes.stream().map(outcome -> outcome.execution().lease()).toList();
    }
}
