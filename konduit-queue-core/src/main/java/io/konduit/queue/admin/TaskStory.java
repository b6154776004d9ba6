package io.konduit.queue.admin;

import io.konduit.queue.Task;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One task with its full history.
 *
 * @param snoozes how often its handler has ended a run with {@link io.konduit.queue.TaskContext#snooze}
 * @param schedule that has made it; null if it was enqueued
 * @param scheduledFor the nominal time that it is for
 * @param explanation a sentence on why it runs or does not run now
 * @param errors why its attempts failed, newest first; their messages may quote the payload
 * @param readAt the time of the database when this was read
 * @param ownerName the display name of the worker that holds its lease
 * @param incidents the evidence, newest first
 */
public record TaskStory(
        Task task,
        int snoozes,
        @Nullable String schedule,
        @Nullable Instant scheduledFor,
        String explanation,
        Instant readAt,
        @Nullable String ownerName,
        @Nullable String ownerHost,
        @Nullable WorkerState ownerStatus,
        List<Incident> incidents,
        List<AttemptError> errors) {}
