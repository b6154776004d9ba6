package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.ScheduleFiring;
import io.konduit.queue.ScheduleInfo;
import io.konduit.queue.TaskId;
import io.konduit.queue.settings.DurationText;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** Schedules as callers see them. */
final class ScheduleViews {
    private ScheduleViews() {}

    record ScheduleView(
            String name,
            String type,
            String queue,
            @Nullable String cron,
            @Nullable String zone,
            @Nullable String every,
            String catchUp,
            String overlap,
            Instant nextAt,
            @Nullable Long lastTask,
            boolean declared,
            @Nullable String pausedBecause,
            @Nullable Instant pausedAt,
            @Nullable String pausedBy,
            @Nullable String pauseNote) {
        static ScheduleView of(ScheduleInfo found) {
            ScheduleInfo.Pause pause = found.paused();
            return new ScheduleView(
                    found.name(),
                    found.type(),
                    found.queue(),
                    found.cron(),
                    found.zone(),
                    found.every() == null ? null : DurationText.of(found.every()),
                    found.catchUp().name(),
                    found.overlap().name(),
                    found.nextAt(),
                    id(found.lastTask()),
                    found.declared(),
                    pause == null ? null : pause.reason().name(),
                    pause == null ? null : pause.at(),
                    pause == null ? null : pause.by(),
                    pause == null ? null : pause.note());
        }
    }

    record FiringView(
            Instant nominalAt,
            String outcome,
            Instant recordedAt,
            @Nullable Long task,
            long dropped,
            @Nullable String actor) {
        static FiringView of(ScheduleFiring found) {
            return new FiringView(
                    found.nominalAt(),
                    found.outcome().name(),
                    found.recordedAt(),
                    id(found.task()),
                    found.dropped(),
                    found.actor());
        }
    }

    /** A page; {@code next} is the {@code after} of the next one. */
    record Schedules(List<ScheduleView> schedules, @Nullable String next) implements OperationResponseBody {}

    /** One schedule with what it did last. */
    record Story(ScheduleView schedule, List<FiringView> firings) implements OperationResponseBody {}

    /** A schedule that was run by hand. */
    record Run(String schedule, long task, String actor) implements OperationResponseBody {}

    private static @Nullable Long id(@Nullable TaskId task) {
        return task == null ? null : task.value();
    }
}
