package io.konduit.queue.review;

import io.konduit.queue.admin.PausedQueue;
import io.konduit.queue.admin.WorkerState;
import io.konduit.queue.store.TaskRow;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.springframework.data.relational.core.mapping.Embedded;

/** A row of {@code find-story.sql}. */
record SituationRow(
        @Embedded.Empty TaskRow task,
        int snoozes,
        @Nullable String schedule,
        @Nullable Instant scheduledFor,
        Instant serverTime,
        @Nullable Instant pausedAt,
        @Nullable String pausedBy,
        @Nullable String pauseNote,
        @Nullable String ownerName,
        @Nullable String ownerHost,
        @Nullable WorkerState ownerStatus,
        int servingWorkers,
        int servingSlots,
        int servingBusy) {

    TaskSituation toSituation() {
        return new TaskSituation(
                task.toTask(null),
                snoozes,
                schedule,
                scheduledFor,
                serverTime,
                paused(),
                ownerName,
                ownerHost,
                ownerStatus,
                servingWorkers,
                servingSlots,
                servingBusy);
    }

    private @Nullable PausedQueue paused() {
        return pausedAt == null || pausedBy == null
                ? null
                : new PausedQueue(task.queue(), pausedAt, pausedBy, pauseNote);
    }
}
