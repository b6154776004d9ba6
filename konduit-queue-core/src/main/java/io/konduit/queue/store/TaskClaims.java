package io.konduit.queue.store;

import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** T2: claims due tasks with one statement, and reads them with their leases. */
final class TaskClaims {
    private static final Comparator<ClaimedTask> BEST_FIRST = Comparator.comparingInt(ClaimedTask::priority)
            .thenComparing(ClaimedTask::runAt)
            .thenComparingLong(ClaimedTask::id);

    private final QueueDatabase database;
    private final UUID worker;

    TaskClaims(QueueDatabase database, UUID worker) {
        this.database = database;
        this.worker = worker;
    }

    Claim claim(ClaimRequest request) {
        List<ClaimRequest.Probe> probes = request.probes();
        Collection<ClaimRequest.Declared> handlers = request.handlers();
        List<ClaimedTask> claimed = new ArrayList<>();
        boolean[] moreFound = new boolean[1];
        Long[] atMicros = new Long[1];
        database.control("claim")
                .param("handlerTypes", SqlArrays.texts(handlers, ClaimRequest.Declared::type))
                .param("handlerLockTimeoutsMs", SqlArrays.bigints(handlers, handler -> millis(handler.lockTimeout())))
                .param("handlerMaxAttempts", SqlArrays.integers(handlers, ClaimRequest.Declared::maxAttempts))
                .param("handlerReapables", SqlArrays.booleans(handlers, ClaimRequest.Declared::reapable))
                .param("queues", SqlArrays.texts(probes, ClaimRequest.Probe::queue))
                .param("priorities", SqlArrays.integers(probes, ClaimRequest.Probe::priority))
                .param("lowerBounds", SqlArrays.texts(probes, ClaimRequest.Probe::lowerBound))
                .param("searchedMs", SqlArrays.bigints(probes, probe -> millis(probe.searched())))
                .param("types", SqlArrays.texts(request.types()))
                .param("stillRunning", SqlArrays.bigints(request.stillRunning(), id -> id))
                .param("budget", request.budget())
                .param("limit", request.limit())
                .param("worker", worker)
                .param("lockTimeoutMs", request.lockTimeout().toMillis())
                .param("maxAttempts", request.maxAttempts())
                .param(
                        "busyChannel",
                        request.announce() ? NotificationChannel.control(database.schema()) : null,
                        Types.VARCHAR)
                .query(row -> {
                    Long at = atMicros[0];
                    if (at == null) {
                        // the same in every row
                        at = row.getLong("claimed_at_us");
                        atMicros[0] = at;
                        moreFound[0] = row.getBoolean("more_found");
                    }
                    claimed.add(claimedTask(row, at));
                });
        claimed.sort(BEST_FIRST);
        return new Claim(claimed, moreFound[0], atMicros[0]);
    }

    NextDue nextDue(Collection<String> queues, Duration since) {
        return database.control("next-due")
                .param("queues", SqlArrays.texts(queues))
                .param("sinceUs", TimeUnit.NANOSECONDS.toMicros(since.toNanos()))
                .query((row, number) -> {
                    long micros = row.getLong("next_us");
                    Duration in = row.wasNull() ? null : Duration.of(micros, ChronoUnit.MICROS);
                    return new NextDue(row.getBoolean("overdue"), in);
                })
                .single();
    }

    /** Attempts exclude those that were given back: they are neither tried nor charged. */
    private static ClaimedTask claimedTask(ResultSet row, long claimedMicros) throws SQLException {
        OffsetDateTime runAt = row.getObject("run_at", OffsetDateTime.class);
        int uncharged = row.getInt("uncharged");
        long timeout = row.getLong("timeout_ms");
        Duration limit = row.wasNull() ? null : Duration.ofMillis(timeout);
        return new ClaimedTask(
                new Lease(row.getLong("id"), row.getLong("lease_epoch"), row.getInt("zombie_count")),
                row.getString("queue"),
                row.getString("type"),
                row.getString("payload"),
                row.getInt("priority"),
                runAt,
                row.getInt("attempts") - uncharged,
                row.getInt("max_attempts") - uncharged,
                row.getBoolean("reapable"),
                Duration.ofMillis(row.getLong("lock_timeout_ms")),
                limit,
                row.getString("checkpoint"),
                row.getString("trace_context"),
                row.getObject("created_at", OffsetDateTime.class),
                row.getObject("scheduled_for", OffsetDateTime.class),
                Duration.of(claimedMicros - micros(runAt), ChronoUnit.MICROS));
    }

    /** Microseconds since 1970. */
    private static long micros(OffsetDateTime time) {
        return time.toEpochSecond() * 1_000_000 + time.getNano() / 1_000;
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }
}
