package io.konduit.queue.event;

import io.konduit.queue.TaskId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The database has lost commits that it had acknowledged, as after a failover to a standby that lagged behind. The
 * queue cannot restore lost commits: tasks enqueued in that period are gone, and tasks completed in it run again. Every
 * instance reports the losses that it knows of.
 *
 * @param noticedAt when the loss was detected, by the database's clock
 * @param oldTimeline the server's WAL timeline before the loss
 * @param newTimeline the server's current WAL timeline: higher after a failover, the same after a crash that lost
 *     commits
 * @param atLeast the age of the oldest lost commit known to this instance: from its acknowledgement to the detection
 * @param lostTasks how many of the last 10 000 tasks enqueued by this instance are gone
 * @param lostTaskIds the ids of the first 100 of them
 * @param pausedQueues the queues that this instance paused because of the loss
 */
public record DatabaseWentBack(
        Instant noticedAt,
        long oldTimeline,
        long newTimeline,
        Duration atLeast,
        int lostTasks,
        List<TaskId> lostTaskIds,
        List<String> pausedQueues) {}
