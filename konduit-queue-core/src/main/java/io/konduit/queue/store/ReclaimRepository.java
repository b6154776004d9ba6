package io.konduit.queue.store;

import io.konduit.queue.HoldReason;
import io.konduit.queue.admin.AuditAction;
import io.konduit.queue.admin.IncidentClassification;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import io.konduit.queue.store.AuditRepository.Author;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Finds orphans and reclaims them. */
public final class ReclaimRepository {
    private final QueueDatabase database;

    public ReclaimRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * A running task that may have to be reclaimed.
     *
     * @param lockTimeoutAt a PostgreSQL timestamp, for reading the next page
     */
    public record Expired(long id, String lockTimeoutAt) {
        /** Sorts before every task. */
        public static final Expired FIRST = new Expired(Long.MIN_VALUE, "-infinity");
    }

    /**
     * The terms of a reclaim.
     *
     * @param serverTime the database's time when the pass began: leases that end later are left alone
     * @param abandonedAfter null for tasks whose lease has ended; else the time without progress that counts as
     *     abandoned
     * @param author the operator on whose behalf this is done; each batch then has an audit entry. Null for the chore
     */
    public record Terms(
            ServerTime serverTime,
            Duration grace,
            @Nullable Duration abandonedAfter,
            int quarantineAfter,
            Duration backoff,
            Duration backoffCap,
            String actor,
            @Nullable Author author) {}

    /**
     * A reclaimed task, as its incident row records it.
     *
     * @param holdReason null when the task is back in the queue
     */
    public record Reclaimed(
            long taskId,
            String queue,
            String type,
            IncidentClassification classification,
            @Nullable HoldReason holdReason,
            UUID previousOwner,
            long leaseEpoch,
            int zombieCount,
            Duration detectionDelay) {}

    public ServerTime serverTime() {
        return database.control("server-time")
                .query(ReclaimRepository::readServerTime)
                .single();
    }

    /**
     * What a pass of the reaper asks first.
     *
     * @param millisToExpiry until the earliest lease ends, negative when it has; empty when nothing runs
     */
    public record Look(ServerTime serverTime, OptionalLong millisToExpiry) {}

    public Look look() {
        return database.control("reaper-look")
                .query((row, number) -> {
                    long millis = row.getLong("next_expiry_ms");
                    OptionalLong expiry = row.wasNull() ? OptionalLong.empty() : OptionalLong.of(millis);
                    return new Look(readServerTime(row, number), expiry);
                })
                .single();
    }

    /** L2: orphans as of that server time, oldest first, after the previous page's {@code last}. */
    public List<Expired> findExpired(ServerTime serverTime, Duration grace, Expired last, int limit) {
        return database.control("find-expired")
                .param("serverTime", serverTime.time().atOffset(ZoneOffset.UTC))
                .param("graceMs", grace.toMillis())
                .param("afterTime", last.lockTimeoutAt())
                .param("afterId", last.id())
                .param("limit", limit)
                .query(ReclaimRepository::expired)
                .list();
    }

    /** C3: tasks without progress for this long, by id, after the previous page's {@code last}. */
    public List<Expired> findAbandoned(Duration threshold, Expired last, int limit) {
        return database.control("find-abandoned")
                .param("abandonedMs", threshold.toMillis())
                .param("afterId", last.id())
                .param("limit", limit)
                .query(ReclaimRepository::expired)
                .list();
    }

    /** T7, T8, T10: reclaims the tasks that still meet the terms; one statement with their incidents. */
    public List<Reclaimed> reclaim(Collection<Expired> found, Terms terms) {
        Author author = terms.author();
        if (author == null) {
            return take(found, terms);
        }
        return database.inControlTransaction(() -> {
            List<Reclaimed> taken = take(found, terms);
            if (!taken.isEmpty()) {
                AuditAction action = terms.abandonedAfter() == null ? AuditAction.RECLAIM : AuditAction.CLEAN_ABANDONED;
                AuditRepository.record(database.control("record-audit"), action, author, null, taken.size());
            }
            return taken;
        });
    }

    private List<Reclaimed> take(Collection<Expired> found, Terms terms) {
        return database.control("reclaim")
                .param("ids", SqlArrays.bigints(found, Expired::id))
                .param("serverTime", terms.serverTime().time().atOffset(ZoneOffset.UTC))
                .param("graceMs", terms.grace().toMillis())
                .param(
                        "abandonedMs",
                        terms.abandonedAfter() == null
                                ? null
                                : terms.abandonedAfter().toMillis())
                .param("quarantineAfter", terms.quarantineAfter())
                .param("backoffMs", terms.backoff().toMillis())
                .param("backoffCapMs", terms.backoffCap().toMillis())
                .param("actor", terms.actor())
                .query(ReclaimRepository::reclaimed)
                .list();
    }

    /** L8: milliseconds until the earliest lease ends, negative when it has; empty when nothing runs. */
    public OptionalLong millisToNextExpiry() {
        Long millis = database.control("next-expiry")
                .query((row, number) -> {
                    long value = row.getLong(1);
                    return row.wasNull() ? Long.MAX_VALUE : value;
                })
                .single();
        return millis == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(millis);
    }

    static ServerTime readServerTime(ResultSet row, int number) throws SQLException {
        return new ServerTime(
                row.getTimestamp("server_time").toInstant(),
                row.getTimestamp("started_at").toInstant(),
                row.getLong("timeline"),
                row.getObject("beats", Long.class));
    }

    private static Expired expired(ResultSet row, int number) throws SQLException {
        return new Expired(row.getLong("id"), row.getString("lock_timeout_at"));
    }

    private static Reclaimed reclaimed(ResultSet row, int number) throws SQLException {
        return new Reclaimed(
                row.getLong("task_id"),
                row.getString("queue"),
                row.getString("type"),
                IncidentClassification.valueOf(row.getString("classification")),
                row.getString("note") == null ? null : HoldReason.valueOf(row.getString("note")),
                row.getObject("previous_owner", UUID.class),
                row.getLong("lease_epoch"),
                row.getInt("zombie_count"),
                Duration.ofMillis(row.getLong("detection_delay_ms")));
    }
}
