package io.konduit.queue.worker;

import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.settings.DurationText;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** L18: runs tasks next to each other, and a suspect alone. */
final class GatedRuns {
    private static final Logger log = LoggerFactory.getLogger(GatedRuns.class);
    /** Delay of a suspect that could not run alone soon. */
    private static final Duration SUSPECT_PAUSE = Duration.ofMinutes(1);
    /** Minimum delay of a suspect that was refused because it was not its turn. */
    private static final Duration NEXT_TURN = Duration.ofSeconds(1);

    private final WorkerState node;
    private final IsolationGate gate;
    private final int isolateAfter;

    /**
     * @param isolateAfter a task that has lost this many workers is a suspect
     */
    GatedRuns(WorkerState node, int isolateAfter) {
        this.node = node;
        this.gate = node.gate();
        this.isolateAfter = isolateAfter;
    }

    /** Runs the task on the calling thread, or gives it back. */
    Outcome run(RunningTask run) throws InterruptedException {
        return run.lease().zombieCount() >= isolateAfter ? runAlone(run) : runAmongOthers(run);
    }

    private Outcome runAmongOthers(RunningTask run) {
        if (!gate.enter()) {
            log.debug("{} is given back: another task has to run alone in this worker", run.task());
            return new Outcome.GivenBack(run, Duration.ZERO);
        }
        try {
            return call(run);
        } finally {
            gate.leave();
        }
    }

    /**
     * Alone means that this worker holds no other lease, not even for a task that is buffered or whose outcome is not
     * written. The gate is not closed behind a run that does not end soon.
     */
    private Outcome runAlone(RunningTask run) throws InterruptedException {
        Duration patience = gate.patience();
        if (hasRunLongerThan(patience)) {
            log.debug(
                    "{} has to run alone and is given back: another task has been running for a long time", run.task());
            return turnedAway(run);
        }
        if (!gate.close()) {
            log.debug("{} is given back: it is not its turn to run alone in this worker", run.task());
            return new Outcome.GivenBack(run, shorter(SUSPECT_PAUSE, longer(NEXT_TURN, gate.rest())));
        }
        try {
            if (!gate.awaitAlone(patience, () -> node.active().hasOnly(run))) {
                log.debug("{} had to wait too long to run alone and is given back", run.task());
                return turnedAway(run);
            }
            return call(run);
        } finally {
            gate.open();
        }
    }

    private Outcome turnedAway(RunningTask suspect) {
        if (gate.turnAway()) {
            log.warn(
                    "{} has lost {} workers and has to run alone. This worker has not been free of long runs for {}. Start another worker, or move the long runs to a queue with workers of its own.",
                    suspect.task(),
                    suspect.lease().zombieCount(),
                    DurationText.of(IsolationGate.OVERDUE));
        }
        return new Outcome.GivenBack(suspect, SUSPECT_PAUSE);
    }

    private boolean hasRunLongerThan(Duration patience) {
        long now = node.nanoTime().getAsLong();
        return node.active().all().stream().anyMatch(other -> other.runsSince(patience.toNanos(), now));
    }

    private Outcome call(RunningTask run) {
        Optional<JobHandlerMethod> handler = node.handlers().find(run.task().type());
        if (handler.isEmpty()) {
            return new Outcome.GivenBack(run, Duration.ZERO);
        }
        node.events().started(run);
        return node.runner().run(run, handler.get());
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
