package io.konduit.queue.review;

import io.konduit.queue.Task;
import io.konduit.queue.admin.PausedQueue;
import io.konduit.queue.admin.WorkerState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task and everything that decides whether it runs.
 *
 * @param snoozes how often its handler has snoozed it
 * @param schedule that has made it; null if it was enqueued
 * @param scheduledFor the nominal time that it is for
 * @param now the database's time
 * @param paused set when its queue is paused
 * @param ownerName set when its owner is registered
 * @param servingWorkers active workers that serve its queue, with their slots and how many of those are busy
 */
public record TaskSituation(
        Task task,
        int snoozes,
        @Nullable String schedule,
        @Nullable Instant scheduledFor,
        Instant now,
        @Nullable PausedQueue paused,
        @Nullable String ownerName,
        @Nullable String ownerHost,
        @Nullable WorkerState ownerStatus,
        int servingWorkers,
        int servingSlots,
        int servingBusy) {}
