package io.konduit.queue.worker;

import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.settings.DurationText;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs that were asked to end, because their time limit or lease is over, and whose handlers are still running. Each
 * keeps its slot. Until it ends this worker does not claim its task, so that a task never runs beside its own next
 * attempt in one JVM. The log shows where each of them is after 5 s, after a minute, and then at intervals that double
 * up to an hour.
 */
final class HangingRuns {
    private static final Logger log = LoggerFactory.getLogger(HangingRuns.class);
    private static final long FIRST_REPORT = Duration.ofSeconds(5).toNanos();
    private static final long SECOND_REPORT = Duration.ofMinutes(1).toNanos();
    private static final long LONGEST_INTERVAL = Duration.ofHours(1).toNanos();
    private static final int FRAMES = 60;

    private final Map<RunningTask, Report> known = new ConcurrentHashMap<>();

    /** When a run was first seen to hang, and what was logged about it. Used by the watchdog's thread only. */
    private static final class Report {
        private boolean seen;
        private long sinceNanos;
        private long nextNanos = FIRST_REPORT;
        private boolean told;
    }

    /** Adds a run whose task this worker has claimed again or given back in the meantime. */
    void add(RunningTask run) {
        known.putIfAbsent(run, new Report());
    }

    /** Their tasks, which this worker must not claim. */
    Collection<Long> taskIds() {
        return known.isEmpty()
                ? List.of()
                : known.keySet().stream()
                        .filter(RunningTask::hangs)
                        .map(run -> run.task().id())
                        .toList();
    }

    boolean isEmpty() {
        return known.isEmpty();
    }

    /** For operators. */
    List<HangingRun> all(long now) {
        return known.entrySet().stream()
                .filter(each -> each.getKey().hangs() && each.getValue().told)
                .map(each -> new HangingRun(
                        each.getKey().task().toString(), reason(each.getKey()), since(each.getValue(), now)))
                .toList();
    }

    /** One check, by the watchdog. */
    void look(Collection<RunningTask> active, long now) {
        for (RunningTask run : active) {
            if (run.hangs()) {
                add(run);
            }
        }
        known.forEach((run, report) -> {
            if (!run.hangs()) {
                known.remove(run);
                tellEnd(run, report, now);
            } else if (!report.seen) {
                report.seen = true;
                report.sinceNanos = now;
            } else if (now - report.sinceNanos >= report.nextNanos) {
                tell(run, report, now);
            }
        });
    }

    private static void tell(RunningTask run, Report report, long now) {
        report.told = true;
        report.nextNanos = report.nextNanos < SECOND_REPORT
                ? SECOND_REPORT
                : report.nextNanos + Math.min(LONGEST_INTERVAL, report.nextNanos);
        log.warn(
                "{} does not end: its handler was interrupted {} ago ({}) and is still running. It keeps its slot, and this worker does not take the task again until the handler has ended. Its stack:{}",
                run.task(),
                DurationText.of(since(report, now)),
                reason(run),
                stack(run.stack()));
    }

    private static void tellEnd(RunningTask run, Report report, long now) {
        if (report.told) {
            log.info(
                    "The handler of {} has ended, {} after it was interrupted",
                    run.task(),
                    DurationText.of(since(report, now)));
        }
    }

    private static Duration since(Report report, long now) {
        return Duration.ofSeconds(Duration.ofNanos(now - report.sinceNanos).toSeconds());
    }

    private static String reason(RunningTask run) {
        RunningTask.End end = run.ended();
        return end == null ? "ended" : end.text();
    }

    /** Down to the call of the handler; the frames below it belong to the queue. */
    private static String stack(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .takeWhile(frame -> !frame.getClassName().equals(JobHandlerMethod.class.getName()))
                .filter(frame -> !frame.getClassName().startsWith("jdk.internal.reflect.")
                        && !frame.getClassName().startsWith("java.lang.reflect."))
                .limit(FRAMES)
                .map(frame -> "\n    at " + frame)
                .collect(Collectors.joining());
    }
}
