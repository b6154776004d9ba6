package io.konduit.queue.autoconfigure.dashboard;

import io.konduit.queue.admin.QueueOverview;
import io.konduit.queue.admin.QueueState;
import io.konduit.queue.autoconfigure.dashboard.Finding.Level;
import io.konduit.queue.settings.PropertyNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** B1: whether all is well, in one sentence, and what to do first. */
final class Findings {
    /** A task that is due this long has waited for a free slot. */
    static final double LATE_SECONDS = 60;

    private static final String REVIEW = "#/review";
    private static final String QUEUES = "#/queues";
    private static final String WORKERS = "#/workers";
    private static final String FAILED = "#/tasks?status=FAILED";

    private final Duration reaperInterval;

    Findings(Duration reaperInterval) {
        this.reaperInterval = reaperInterval;
    }

    /** The worst first; at least one. */
    List<Finding> of(QueueOverview found) {
        List<Finding> findings = new ArrayList<>();
        recovery(found, findings);
        found.queues().forEach(queue -> queue(queue, findings));
        held(found, findings);
        workers(found, findings);
        failed(found, findings);
        if (findings.isEmpty()) {
            findings.add(allIsWell(found));
        }
        findings.sort(Comparator.comparing(Finding::level));
        return findings;
    }

    private void recovery(QueueOverview found, List<Finding> findings) {
        if (reaperInterval.isZero()) {
            findings.add(new Finding(
                    Level.BAD,
                    "Crash recovery is off: tasks of a crashed worker stay with it.",
                    "Set '" + PropertyNames.REAPER_INTERVAL + "' to a duration, such as 30s.",
                    null));
            return;
        }
        double bound = Math.max(60, 4 * reaperInterval.toMillis() / 1000.0);
        Double silent = found.secondsSinceReaper();
        Double expired = found.oldestExpiredLeaseSeconds();
        if (silent != null && silent > bound) {
            findings.add(new Finding(
                    Level.BAD,
                    "Crash recovery last ran " + duration(silent) + " ago.",
                    "Check that an instance with '" + PropertyNames.CHORES_ENABLED + "' is running, and its log.",
                    WORKERS));
        } else if (expired != null && expired > bound) {
            findings.add(new Finding(
                    Level.BAD,
                    "The lease of a task ended " + duration(expired) + " ago and nobody has taken it back.",
                    "Look at the log of the leader" + (found.leader() == null ? "." : ", " + found.leader() + "."),
                    "#/tasks?status=RUNNING"));
        }
    }

    private static void queue(QueueState queue, List<Finding> findings) {
        Double due = queue.oldestDueSeconds();
        if (queue.paused() != null) {
            findings.add(new Finding(
                    Level.NOTE,
                    "Queue '" + queue.name() + "' is paused by "
                            + queue.paused().pausedBy() + waitingIn(queue),
                    null,
                    QUEUES));
        } else if (due != null && queue.activeWorkers() == 0) {
            findings.add(new Finding(
                    Level.BAD,
                    "No active worker serves queue '" + queue.name() + "', and its oldest task has been due for "
                            + duration(due) + ".",
                    "Start an instance that serves it: it has a handler for the queue, or names it in '"
                            + PropertyNames.WORKER_QUEUES + "'.",
                    QUEUES));
        } else if (due != null && due > LATE_SECONDS) {
            findings.add(new Finding(
                    Level.ACT,
                    "Tasks in queue '" + queue.name() + "' start late: the oldest has been due for " + duration(due)
                            + ".",
                    "Look for slow handlers, or add slots or instances.",
                    QUEUES));
        }
    }

    private static String waitingIn(QueueState queue) {
        if (queue.pending() == 0) {
            return ".";
        }
        return ", and " + tasks(queue.pending()) + (queue.pending() == 1 ? " waits" : " wait") + " in it.";
    }

    private static void held(QueueOverview found, List<Finding> findings) {
        long held = found.held();
        if (held > 0) {
            findings.add(new Finding(
                    Level.ACT,
                    tasks(held) + (held == 1 ? " waits" : " wait") + " for your decision.",
                    "Read the evidence, then release or fail " + (held == 1 ? "it." : "them."),
                    REVIEW));
        }
        if (found.zombiesAboveLimit() > 0) {
            findings.add(new Finding(
                    Level.ACT,
                    tasks(found.zombiesAboveLimit()) + (found.zombiesAboveLimit() == 1 ? " has" : " have")
                            + " lost more than " + found.zombieLimit() + " workers.",
                    "Look for what kills them: memory, native code, or a deployment in the middle of their work.",
                    "#/incidents"));
        }
    }

    private static void workers(QueueOverview found, List<Finding> findings) {
        if (found.staleWorkers() > 0) {
            findings.add(new Finding(
                    Level.ACT,
                    count(found.staleWorkers(), "worker") + " sent no heartbeat lately.",
                    "Look at the process: it has crashed, hangs, or does not reach the database.",
                    WORKERS));
        }
        if (found.drainingWorkers() > 0) {
            findings.add(new Finding(
                    Level.NOTE,
                    count(found.drainingWorkers(), "worker")
                            + (found.drainingWorkers() == 1 ? " is draining: it claims" : " are draining: they claim")
                            + " no tasks until resumed.",
                    null,
                    WORKERS));
        }
    }

    private static void failed(QueueOverview found, List<Finding> findings) {
        long failed = sum(found, QueueState::failed);
        if (failed > 0) {
            findings.add(new Finding(
                    Level.NOTE,
                    tasks(failed) + (failed == 1 ? " has" : " have") + " failed for good.",
                    "Retry them once the cause is mended.",
                    FAILED));
        }
    }

    private static Finding allIsWell(QueueOverview found) {
        long running = sum(found, QueueState::running);
        long pending = sum(found, QueueState::pending);
        String runs = running == 0 ? "nothing runs" : tasks(running) + (running == 1 ? " runs" : " run");
        String waits = pending == 0 ? "nothing waits" : tasks(pending) + (pending == 1 ? " waits" : " wait");
        return new Finding(Level.GOOD, "All is well: " + runs + ", " + waits + ".", null, null);
    }

    private static long sum(QueueOverview found, ToLongFunction<QueueState> number) {
        return found.queues().stream().mapToLong(number).sum();
    }

    private static String tasks(long tasks) {
        return count(tasks, "task");
    }

    private static String count(long number, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
    }

    /** In the two largest units. */
    static String duration(@Nullable Double seconds) {
        long left = seconds == null ? 0 : Math.max(0, Math.round(seconds));
        if (left < 60) {
            return left + " s";
        }
        if (left < 3_600) {
            return left / 60 + " min";
        }
        return left < 86_400
                ? left / 3_600 + " h " + left % 3_600 / 60 + " min"
                : left / 86_400 + " d " + left % 86_400 / 3_600 + " h";
    }
}
