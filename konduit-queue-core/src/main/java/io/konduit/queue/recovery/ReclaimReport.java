package io.konduit.queue.recovery;

import io.konduit.queue.HoldReason;
import io.konduit.queue.TaskId;
import io.konduit.queue.admin.IncidentClassification;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.event.TaskHeld;
import io.konduit.queue.event.TaskReclaimed;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.store.ReclaimRepository.Reclaimed;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what a pass reclaims, and reports it to the log, metrics, listeners and workers after the database has it. */
final class ReclaimReport {
    private static final Logger log = LoggerFactory.getLogger(ReclaimReport.class);

    private final QueueEvents events;
    private final ReclaimMonitor monitor;
    private final Consumer<Set<String>> wakeUp;
    private int reclaimed;
    private int held;
    private int quarantined;
    private int busy;

    ReclaimReport(QueueEvents events, ReclaimMonitor monitor, Consumer<Set<String>> wakeUp) {
        this.events = events;
        this.monitor = monitor;
        this.wakeUp = wakeUp;
    }

    void add(int found, List<Reclaimed> taken) {
        busy += found - taken.size();
        Set<String> queues = new HashSet<>();
        for (Reclaimed task : taken) {
            monitor.reclaimed(task);
            if (task.holdReason() == null) {
                queues.add(task.queue());
                tellReclaimed(task);
            } else {
                tellHeld(task, task.holdReason());
            }
        }
        if (!queues.isEmpty()) {
            wake(queues);
        }
    }

    /** Logs one line if anything was reclaimed. */
    void tell(String what) {
        if (reclaimed + held + quarantined > 0) {
            log.info(
                    "Reclaimed {} {} tasks; {} held because they are not reapable, {} quarantined",
                    reclaimed,
                    what,
                    held,
                    quarantined);
        }
    }

    ReclaimResult result() {
        return new ReclaimResult(reclaimed, held, quarantined, busy, Duration.ZERO);
    }

    private void wake(Set<String> queues) {
        try {
            wakeUp.accept(queues);
        } catch (RuntimeException e) {
            // the tasks are back; the next poll finds them
            log.warn("A wake-up failed; the reclaimed tasks wait for the next poll", e);
        }
    }

    private void tellReclaimed(Reclaimed task) {
        reclaimed++;
        log.debug(
                "Reclaimed task {} ({}) from worker {}, epoch {}. It has lost {} workers.",
                task.taskId(),
                task.type(),
                task.previousOwner(),
                task.leaseEpoch(),
                task.zombieCount());
        events.publish(new TaskReclaimed(
                TaskId.of(task.taskId()),
                task.type(),
                task.queue(),
                task.previousOwner(),
                task.leaseEpoch(),
                task.zombieCount(),
                task.classification() == IncidentClassification.ABANDONED));
    }

    private void tellHeld(Reclaimed task, HoldReason reason) {
        if (reason == HoldReason.QUARANTINED) {
            quarantined++;
        } else {
            held++;
        }
        log.warn(
                "Task {} ({}) is HELD ({}): worker {} was lost while it ran it. It does not run again until a person releases or fails it.",
                task.taskId(),
                task.type(),
                reason,
                task.previousOwner());
        events.publish(new TaskHeld(
                TaskId.of(task.taskId()),
                task.type(),
                task.queue(),
                reason,
                task.previousOwner(),
                task.leaseEpoch(),
                task.zombieCount()));
    }
}
