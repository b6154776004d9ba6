package io.konduit.queue.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the slots of one group: each takes a task from the buffer, runs it and reports the outcome. */
final class SlotRunner {
    private static final Logger log = LoggerFactory.getLogger(SlotRunner.class);
    private static final long STALL_CHECK_MILLIS = 10;

    private final SlotGroup group;
    private final WorkerState node;
    private final SlotBuffer buffer;
    private final SlotGroupLoad load;
    private final ClaimAhead ahead;
    private final GatedRuns runs;
    private final AtomicInteger started = new AtomicInteger();

    SlotRunner(
            SlotGroup group,
            WorkerState node,
            SlotBuffer buffer,
            SlotGroupLoad load,
            ClaimAhead ahead,
            GatedRuns runs) {
        this.group = group;
        this.node = node;
        this.buffer = buffer;
        this.load = load;
        this.ahead = ahead;
        this.runs = runs;
    }

    /** The loop of one slot. */
    void loop() {
        int slot = started.getAndIncrement() % group.slots();
        while (true) {
            try {
                while (load.isStalled() && !buffer.isStopped()) {
                    TimeUnit.MILLISECONDS.sleep(STALL_CHECK_MILLIS);
                }
                if (!run(slot, buffer.take())) {
                    return;
                }
            } catch (InterruptedException e) {
                if (buffer.isStopped()) {
                    return;
                }
            } catch (RuntimeException | Error e) {
                log.error("A slot of queues {} failed unexpectedly and continues", group.queues(), e);
            }
        }
    }

    /** Whether something waits for a slot and may begin. */
    boolean hasWork() {
        return !buffer.isEmpty() && (buffer.isStopped() || !load.isStalled());
    }

    /** One turn of a slot without waiting; false when nothing is left to run. */
    boolean runOnce(int slot) throws InterruptedException {
        return run(slot, buffer.poll());
    }

    private boolean run(int slot, @Nullable RunningTask run) throws InterruptedException {
        if (run == null) {
            return false;
        }
        ahead.begins(slot, node.nanoTime().getAsLong());
        try {
            runAndReport(run);
        } finally {
            ahead.ends(slot);
        }
        return true;
    }

    private void runAndReport(RunningTask run) throws InterruptedException {
        boolean reported = false;
        try {
            node.completer().report(runs.run(run));
            reported = true;
        } finally {
            if (!reported) {
                // the lease ends and the reaper takes the task back
                node.active().letGo(run);
            }
        }
    }
}
