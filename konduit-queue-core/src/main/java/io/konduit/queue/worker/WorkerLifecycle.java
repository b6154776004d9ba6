package io.konduit.queue.worker;

import io.konduit.queue.enqueue.TaskWakeUp;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.ControlReceiver;
import io.konduit.queue.thread.Phases;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Starts and stops this node's work.
 *
 * <p>Stopping: no more claims; claimed tasks that have not started are given back; handlers may finish within the drain
 * timeout while their leases are extended; the rest is given back, the attempt not charged; the worker leaves the
 * registry. If the node dies in between, the leases end and the reaper takes the tasks back.
 */
public final class WorkerLifecycle implements SmartLifecycle, TaskWakeUp, ControlReceiver {
    private static final Logger log = LoggerFactory.getLogger(WorkerLifecycle.class);
    /** For leaving the registry. */
    private static final Duration LEAVING = Duration.ofSeconds(1);
    /** Before a new start. */
    private static final Duration LONGEST_STOP = Duration.ofSeconds(60);

    private final WorkerParts parts;
    private final HangingRuns hanging = new HangingRuns();
    private volatile @Nullable WorkerRun running;

    public WorkerLifecycle(WorkerParts parts) {
        this.parts = parts;
    }

    public WorkerIdentity identity() {
        return parts.store().registry().identity();
    }

    /** Whether this worker was asked to stop claiming. */
    public Drain drain() {
        return parts.store().registry().drain();
    }

    @Override
    public void start() {
        WorkerRun current = running;
        if (current != null && current.isStopping()) {
            current.awaitStopped(LONGEST_STOP);
        }
        startNow();
    }

    private synchronized void startNow() {
        if (running == null) {
            WorkerRun run = assemble();
            run.start();
            running = run;
            log.info(
                    "Worker {} ({}) handles {} in queues {} with {} slots",
                    identity().name(),
                    identity().id(),
                    parts.runner().handlers().types(),
                    run.settings().queues(),
                    run.state().slots());
        }
    }

    /** The loops of one start, not started yet: each can be driven step by step. */
    WorkerRun assemble() {
        parts.runner().requireTransactionManager();
        parts.runner().handOverWhen(drain()::isOn);
        return new WorkerRun(parts.serving(), hanging);
    }

    /** Stops and waits for the end. */
    @Override
    public void stop() {
        beginStop();
        awaitStopped();
    }

    /**
     * Only begins the stop: while handlers end, the web server ends its requests. {@link WorkerStop} waits for both.
     */
    @Override
    public void stop(Runnable callback) {
        beginStop();
        callback.run();
    }

    /** Stops accepting work, and ends the rest on another thread. */
    synchronized void beginStop() {
        WorkerRun current = running;
        if (current != null && !current.isStopping()) {
            current.beginStop(this::stopped);
        }
    }

    /** Waits for a stop that has begun, within its time budget: an unavailable database does not delay it further. */
    void awaitStopped() {
        WorkerRun current = running;
        if (current != null && current.isStopping() && !current.awaitStopped(LEAVING)) {
            log.warn(
                    "Worker {} ({}) stops waiting: the database gave no answer. Unwritten tasks come back when their leases expire.",
                    identity().name(),
                    identity().id());
        }
    }

    private void stopped() {
        running = null;
        log.info("Worker {} ({}) has stopped", identity().name(), identity().id());
    }

    /** Runs that were asked to end and are still running. */
    public List<HangingRun> hangingRuns() {
        WorkerRun current = running;
        return current == null
                ? List.of()
                : hanging.all(parts.runtime().nanoTime().getAsLong());
    }

    /** K5: whether a crash would be detected by its witness; otherwise by the expiry of its leases. */
    public boolean hasWitness() {
        WorkerRun current = running;
        return current != null && current.hasWitness();
    }

    @Override
    public boolean isRunning() {
        return running != null;
    }

    /** The state of its loops; empty when the worker is not running or about to stop. */
    public List<LoopState> loops() {
        WorkerRun current = running;
        return current == null || current.isStopping() ? List.of() : current.loops();
    }

    @Override
    public int getPhase() {
        return Phases.WORKER;
    }

    @Override
    public void tasksDue(Set<String> queues) {
        WorkerRun current = running;
        if (current != null) {
            current.tasksDue(queues);
        }
    }

    @Override
    public void tasksDueIn(String queue, Duration delay) {
        WorkerRun current = running;
        if (current != null) {
            current.tasksDueIn(queue, delay);
        }
    }

    @Override
    public void receive(ControlMessage message) {
        WorkerRun current = running;
        if (current != null) {
            current.receive(message);
        }
    }
}
