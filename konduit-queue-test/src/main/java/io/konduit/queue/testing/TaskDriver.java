package io.konduit.queue.testing;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.testing.ManualWorker.Result;
import io.konduit.queue.testing.ManualWorker.Run;
import io.konduit.queue.worker.HandlerCall;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/** Runs one task in one worker until it has ended, and takes it back from a worker that is lost. */
final class TaskDriver {
    private static final int MAX_RUNS = 100;
    private static final Duration LONGEST_ROLLBACK = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(10);

    private final ManualWorker worker;
    private final QueueEngine engine;
    private final OrphanReclaimer reaper;

    TaskDriver(ManualWorker worker) {
        this.worker = worker;
        this.engine = worker.engine();
        // no heartbeats are to be waited for: no worker but those of the test is alive
        this.reaper = new OrphanReclaimer(
                engine.reclaims(),
                engine.reclaimPolicy(),
                new OutageGuard(Duration.ZERO, System::nanoTime),
                engine.reclaimEvents(),
                System::nanoTime);
    }

    Task find(TaskId id) {
        return engine.taskQueue()
                .find(id)
                .orElseThrow(() -> new IllegalStateException("There is no task " + id + " any more."));
    }

    /** Runs it, with all retries and however often it is snoozed, until nothing is left to do for a worker. */
    TaskStatus runToEnd(TaskId id) {
        for (int runs = 0; runs < MAX_RUNS; runs++) {
            Task task = find(id);
            if (task.status() != TaskStatus.PENDING) {
                return task.status();
            }
            runOnce(task, HandlerCall.PLAIN);
        }
        throw endless(id);
    }

    /** The same with a worker that is watched; ends early when its fate has struck. */
    void runToEnd(TaskId id, Life life) {
        for (int runs = 0; runs < MAX_RUNS; runs++) {
            Task task = find(id);
            if (task.status() != TaskStatus.PENDING) {
                return;
            }
            Run run = watched(task, life);
            if (life.metFate() != null) {
                return;
            }
            try {
                life.outcomeWritten(nameOf(run.result()));
            } catch (SimulatedDeath death) {
                return;
            }
        }
        throw endless(id);
    }

    private Run watched(Task task, Life life) {
        CrashGate.open(life);
        try {
            return runOnce(task, life);
        } finally {
            CrashGate.close(life);
        }
    }

    private Run runOnce(Task task, HandlerCall call) {
        if (!worker.waiting().makeDue(task.id().value())) {
            throw new IllegalStateException(
                    "Task " + task.id() + " was taken by somebody else. Does another worker use this database?");
        }
        return worker.pass().runFirst(task, call);
    }

    private static String nameOf(Result result) {
        return switch (result) {
            case COMPLETED -> PassedPoint.COMPLETION;
            case RETRIED, FAILED -> "failure";
            case SNOOZED -> "snooze";
            default -> result.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        };
    }

    private static IllegalStateException endless(TaskId id) {
        return new IllegalStateException("Task " + id + " has run " + MAX_RUNS
                + " times and has not ended. If it snoozes until something has happened, let the test make it happen.");
    }

    /**
     * Ends the lease, and lets the reaper take the task back.
     *
     * @return false if the task does not run, or if a transaction of its worker holds its row: then no reaper could
     */
    boolean takeBack(TaskId id) {
        if (!worker.waiting().endLease(id.value(), engine.reclaimPolicy().grace())) {
            return false;
        }
        reaper.reclaimOnce();
        Task task = find(id);
        if (task.status() == TaskStatus.RUNNING) {
            throw new IllegalStateException("Task " + id
                    + " was not taken back although its lease had ended. Does another worker use this database?");
        }
        return true;
    }

    /**
     * The same for a worker that has died. The server may not have noticed yet that sessions of its other threads are
     * gone.
     */
    void takeBackFromTheDead(TaskId id) {
        long deadline = System.nanoTime() + LONGEST_ROLLBACK.toNanos();
        while (find(id).status() == TaskStatus.RUNNING && !takeBack(id)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("A transaction still holds task " + id
                        + " although its worker is dead. Does the handler leave work to other threads?");
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }
}
