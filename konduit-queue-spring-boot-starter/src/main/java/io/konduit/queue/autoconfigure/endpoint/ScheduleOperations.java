package io.konduit.queue.autoconfigure.endpoint;

import io.konduit.queue.ScheduleInfo;
import io.konduit.queue.ScheduleNotFoundException;
import io.konduit.queue.Schedules;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** P7: {@code schedules}, {@code schedules/{name}} and {@code schedules/{name}/pause|resume|run-now}. */
final class ScheduleOperations {
    private static final int FIRINGS = 20;

    private final Schedules schedules;

    ScheduleOperations(Schedules schedules) {
        this.schedules = schedules;
    }

    OperationResponseBody list(@Nullable String after, int size) {
        List<ScheduleInfo> page = schedules.list(after, size);
        return new ScheduleViews.Schedules(
                page.stream().map(ScheduleViews.ScheduleView::of).toList(),
                page.size() < size ? null : page.get(size - 1).name());
    }

    ScheduleViews.Story show(String name) {
        ScheduleInfo found = schedules.find(name).orElseThrow(() -> new ScheduleNotFoundException(name));
        return new ScheduleViews.Story(
                ScheduleViews.ScheduleView.of(found),
                schedules.firings(name, FIRINGS).stream()
                        .map(ScheduleViews.FiringView::of)
                        .toList());
    }

    OperationResponseBody pause(String name, String actor, @Nullable String note) {
        schedules.pause(name, actor, note);
        return show(name);
    }

    OperationResponseBody resume(String name, String actor, @Nullable String note) {
        schedules.resume(name, actor, note);
        return show(name);
    }

    OperationResponseBody runNow(String name, String actor, @Nullable String note) {
        return new ScheduleViews.Run(name, schedules.runNow(name, actor, note).value(), actor);
    }
}
