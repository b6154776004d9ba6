package io.konduit.queue.worker;

import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Lease;
import java.time.Duration;
import java.time.OffsetDateTime;

/** Claimed tasks that no database knows, for tests of what a worker does with them. */
final class Tasks {
    static final OffsetDateTime RUN_AT = OffsetDateTime.parse("2026-01-01T00:00:00Z");

    private Tasks() {}

    static ClaimedTask claimed(long id) {
        return claimed(id, Duration.ofSeconds(30));
    }

    static ClaimedTask claimed(long id, Duration lockTimeout) {
        return claimed(id, "default", 2, RUN_AT, lockTimeout);
    }

    static ClaimedTask claimed(long id, String queue, int priority, OffsetDateTime runAt, Duration lockTimeout) {
        return claimed(id, queue, priority, runAt, lockTimeout, Duration.ZERO);
    }

    static ClaimedTask claimed(
            long id, String queue, int priority, OffsetDateTime runAt, Duration lockTimeout, Duration waited) {
        return new ClaimedTask(
                new Lease(id, 1, 0),
                queue,
                "type",
                "{}",
                priority,
                runAt,
                1,
                3,
                true,
                lockTimeout,
                null,
                null,
                null,
                RUN_AT,
                waited);
    }
}
