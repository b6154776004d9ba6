package io.konduit.queue.store;

import io.konduit.queue.HoldReason;
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

/** Finds tasks whose lease has ended and takes them back. */
public final class ReclaimRepository {
    private final QueueDatabase database;

    public ReclaimRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * A running task that may have to be taken back.
     *
     * @param lockTimeoutAt a PostgreSQL timestamp, for asking for the next page
     */
    public record Expired(long id, String lockTimeoutAt) {
        /** Before every other. */
        public static final Expired FIRST = new Expired(Long.MIN_VALUE, "-infinity");
    }

    /**
     * What is decided for each task.
     *
     * @param moment what the database's clock said when the pass began: leases that end later are left alone
     * @param abandonedAfter null for tasks whose lease has ended; else the time without progress that counts as abandoned
     * @param author a person in whose name this is done; each batch then has an audit entry. Null for the chore
     */
    public record Terms(
            DatabaseMoment moment,
            Duration grace,
            @Nullable Duration abandonedAfter,
            int quarantineAfter,
            Duration backoff,
            Duration backoffCap,
            String actor,
            @Nullable Author author) {}

    /**
     * A task that was taken back, as its incident row has it.
     *
     * @param holdReason null when the task is back in the queue
     */
    public record Reclaimed(
            long taskId,
            String queue,
            String type,
            String classification,
            @Nullable HoldReason holdReason,
            UUID previousOwner,
            long leaseEpoch,
            int zombieCount,
            Duration detectionDelay) {}

    public DatabaseMoment moment() {
        return database.control("database-moment")
                .query(ReclaimRepository::readMoment)
                .single();
    }

    /** L2: orphans at that moment of the database's clock, oldest first, after {@code last} of the page before. */
    public List<Expired> findExpired(DatabaseMoment moment, Duration grace, Expired last, int most) {
        return database.control("find-expired")
                .param("moment", moment.moment().atOffset(ZoneOffset.UTC))
                .param("graceMs", grace.toMillis())
                .param("afterTime", last.lockTimeoutAt())
                .param("afterId", last.id())
                .param("most", most)
                .query(ReclaimRepository::expired)
                .list();
    }

    /** C3: tasks without progress for that long, by id, after {@code last} of the page before. */
    public List<Expired> findAbandoned(Duration threshold, Expired last, int most) {
        return database.control("find-abandoned")
                .param("thresholdMs", threshold.toMillis())
                .param("afterId", last.id())
                .param("most", most)
                .query(ReclaimRepository::expired)
                .list();
    }

    /** T7, T8, T10: takes back those of the tasks that still meet the terms; one statement with their incidents. */
    public List<Reclaimed> reclaim(Collection<Expired> found, Terms terms) {
        Author author = terms.author();
        if (author == null) {
            return take(found, terms);
        }
        return database.inControlTransaction(() -> {
            List<Reclaimed> taken = take(found, terms);
            if (!taken.isEmpty()) {
                String action = terms.abandonedAfter() == null ? "RECLAIM" : "CLEAN_ABANDONED";
                AuditRepository.record(database.control("record-audit"), action, author, null, taken.size());
            }
            return taken;
        });
    }

    private List<Reclaimed> take(Collection<Expired> found, Terms terms) {
        return database.control("reclaim")
                .param("ids", SqlArrays.bigints(found, Expired::id))
                .param("moment", terms.moment().moment().atOffset(ZoneOffset.UTC))
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

    static DatabaseMoment readMoment(ResultSet row, int number) throws SQLException {
        return new DatabaseMoment(
                row.getTimestamp("moment").toInstant(),
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
                row.getString("classification"),
                row.getString("note") == null ? null : HoldReason.valueOf(row.getString("note")),
                row.getObject("previous_owner", UUID.class),
                row.getLong("lease_epoch"),
                row.getInt("zombie_count"),
                Duration.ofMillis(row.getLong("detection_delay_ms")));
    }
}
