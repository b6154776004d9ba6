package io.konduit.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The database has lost commits that it had acknowledged, as after a failover to a standby that was behind. What
 * PostgreSQL lost the queue cannot bring back: tasks enqueued in that time are gone, tasks completed in it run again.
 * Every instance reports what it knows of itself.
 *
 * @param noticedAt by the database's clock
 * @param oldTimeline of the server's log, before
 * @param newTimeline of the server's log, now: greater after a failover, the same after a crash that lost commits
 * @param atLeast how long before it was noticed the oldest commit was acknowledged that this instance knows to be lost
 * @param lostTasks how many of the last ten thousand tasks that this instance enqueued are gone
 * @param lostTaskIds the first hundred of them
 * @param pausedQueues the queues that were paused by this instance because of it
 */
public record DatabaseWentBack(
        Instant noticedAt,
        long oldTimeline,
        long newTimeline,
        Duration atLeast,
        int lostTasks,
        List<TaskId> lostTaskIds,
        List<String> pausedQueues) {}
