package io.konduit.queue.metrics;

/** The names of the meters, as {@code docs/operating.md} lists them. */
final class MeterNames {
    static final String ENQUEUED = "konduit.queue.enqueued";
    static final String COMPLETED = "konduit.queue.completed";
    static final String FAILED = "konduit.queue.failed";
    static final String RETRIED = "konduit.queue.retried";
    static final String GIVEN_BACK = "konduit.queue.given.back";
    static final String SNOOZED = "konduit.queue.snoozed";
    static final String LEASES_LOST = "konduit.queue.leases.lost";
    static final String LONG_RUNS = "konduit.queue.long.runs";
    static final String PICKUP_DELAY = "konduit.queue.pickup.delay";
    static final String RECLAIMS = "konduit.queue.reclaims";
    static final String ABANDONED = "konduit.queue.abandoned";
    static final String FALSE_RECLAIMS = "konduit.queue.reclaims.false";
    static final String REAPER_PASSES = "konduit.queue.reaper.passes";
    static final String REAPER_AGE = "konduit.queue.reaper.last.pass.age";
    static final String WENT_BACK = "konduit.queue.database.went.back";
    static final String LOST_TASKS = "konduit.queue.acknowledged.lost";
    static final String SCHEDULES_LATENESS = "konduit.queue.schedules.lateness";
    static final String SCHEDULES_SKIPPED = "konduit.queue.schedules.skipped";
    static final String SCHEDULES_DROPPED = "konduit.queue.schedules.dropped";
    static final String TASKS = "konduit.queue.tasks";
    static final String HELD = "konduit.queue.held";
    static final String OLDEST_PENDING = "konduit.queue.oldest.pending.age";
    static final String OLDEST_EXPIRED = "konduit.queue.oldest.expired.lease.age";
    static final String ZOMBIES_ABOVE = "konduit.queue.zombies.above.limit";
    static final String WORKERS = "konduit.queue.workers";
    static final String HISTORY_TRUNCATED = "konduit.queue.history.truncated";
    static final String LEADER = "konduit.queue.leader";

    private MeterNames() {}
}
