package io.konduit.queue.worker;

import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes outcomes in batches: each batch holds what has arrived while the previous one was written. One commit serves
 * many tasks, and a single outcome never waits for others. An outcome that cannot be written is retried until the
 * database answers. A crash before that means another run, which at-least-once allows. An outcome whose row is locked
 * elsewhere is set aside, so that it does not delay the others.
 */
final class Completer {
    private static final Logger log = LoggerFactory.getLogger(Completer.class);
    private static final int MAX_AT_ONCE = 2_000;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final Duration LONGEST_LOOK = Duration.ofSeconds(10);
    private static final Outcome STOP = new Outcome.None();

    private final WorkerEvents events;
    private final LongSupplier nanoTime;
    private final BlockingQueue<Outcome> waiting = new LinkedBlockingQueue<>();
    private final LockedOutcomes locked = new LockedOutcomes();
    private final OutcomeWriter writer;
    /** Outcomes taken from the queue and not settled. An Error may end the loop, which is then entered again. */
    private final List<Outcome> inHand = new ArrayList<>();

    private Duration pause = FIRST_PAUSE;

    private volatile boolean stopped;

    Completer(
            LeaseRepository leases,
            IncidentRepository incidents,
            ActiveLeases active,
            WorkerEvents events,
            Later later,
            LongSupplier nanoTime) {
        this.events = events;
        this.nanoTime = nanoTime;
        LateEvidence evidence = new LateEvidence(incidents, leases.worker(), events);
        this.writer = new OutcomeWriter(leases, evidence, active, events, later, locked, nanoTime);
    }

    void report(Outcome outcome) {
        if (outcome instanceof Outcome.Written written) {
            writer.forget(written.run());
            events.completed(written.run());
        } else if (outcome instanceof Outcome.LeftToReaper left) {
            writer.forget(left.run());
            waiting.add(left);
        } else {
            outcome.run().reported();
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
                    log.warn("{} outcomes were not written: their tasks come back when their leases expire", unwritten);
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
        if (first != null && first != STOP) {
            inHand.add(first);
        }
        retryLocked();
        if (inHand.isEmpty()) {
            return Duration.ZERO;
        }
        waiting.drainTo(inHand, MAX_AT_ONCE - 1);
        if (stopped) {
            inHand.remove(STOP);
        }
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
            if (!outcome.run().isSettled() && !locked.contains(outcome)) {
                waiting.add(outcome);
            }
        }
        inHand.clear();
    }

    /** Ends the loop once everything is written. */
    void stop() {
        stopped = true;
        waiting.add(STOP);
    }

    /** An unexpected error must not end the loop, nor keep leases alive for outcomes that never come. */
    private List<Outcome> writeOrDrop(List<Outcome> batch) {
        try {
            return writer.write(batch);
        } catch (VirtualMachineError e) {
            // memory may become available again: the loop restarts with the outcomes in hand, which are safe to write
            // twice
            throw e;
        } catch (RuntimeException | Error e) {
            batch.forEach(outcome -> writer.settle(outcome.run()));
            log.error(
                    "The completer failed unexpectedly and continues. Tasks whose outcome was not written come back when their leases expire: {} {}",
                    batch.stream().map(outcome -> outcome.run().task()).toList(),
                    ErrorText.withoutMessages(e));
            return List.of();
        }
    }

    private void retryLocked() {
        List<Outcome> due = locked.due(nanoTime.getAsLong());
        if (!due.isEmpty()) {
            // outcomes that the database did not answer wait for their next turn too
            writeOrDrop(due).forEach(writer::setAside);
        }
    }

    /** Writes a batch; returns the outcomes to retry. */
    List<Outcome> write(List<Outcome> batch) {
        return writer.write(batch);
    }

    private static <T extends Outcome> List<T> select(List<Outcome> all, Class<T> kind) {
        return all.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
