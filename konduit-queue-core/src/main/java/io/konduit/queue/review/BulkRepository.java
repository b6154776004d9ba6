package io.konduit.queue.review;

import io.konduit.queue.HoldReason;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.AuditAction;
import io.konduit.queue.admin.BulkAction.Kind;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import io.konduit.queue.store.AuditRepository;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.Cancellation;
import io.konduit.queue.store.ControlMessages;
import io.konduit.queue.store.Start;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** S13: operator decisions on all matching tasks, a page and a batch at a time. */
public final class BulkRepository {
    private final QueueDatabase database;

    private final Cancellation cancellation;

    BulkRepository(QueueDatabase database, ControlMessages messages) {
        this.database = database;
        this.cancellation = new Cancellation(database, messages);
    }

    /** The filter; null means any. */
    public record Criteria(
            Set<TaskStatus> statuses,
            @Nullable String queue,
            @Nullable String type,
            @Nullable HoldReason holdReason,
            @Nullable String errorType,
            @Nullable Instant createdAfter,
            @Nullable Instant createdBefore,
            @Nullable Instant finishedAfter,
            @Nullable Instant finishedBefore) {}

    /** A task that matched when it was read. */
    public record Found(long id, TaskStatus status) {}

    /**
     * A page.
     *
     * @param next where the next page starts; null when there is none
     */
    public record Page(List<Found> found, @Nullable Position next) {}

    /**
     * Where a page ended.
     *
     * @param time a PostgreSQL timestamp, for what is sorted by time first
     */
    public record Position(String time, long id) {
        /** Before every task. */
        public static final Position FIRST = new Position("-infinity", Long.MIN_VALUE);
    }

    /**
     * The action on a batch.
     *
     * @param attempts of a retry
     * @param start of a reschedule
     * @param filter the request's filter, as JSON
     */
    public record Terms(Kind kind, int attempts, @Nullable Start start, String filter, Author author) {}

    /**
     * The result of a batch.
     *
     * @param queues the queues of the changed tasks
     */
    public record Changed(int tasks, Set<String> queues) {}

    private record Row(
            int examined,
            @Nullable String lastSortTime,
            long lastId,
            @Nullable String sortTime,
            @Nullable Found found) {}

    private record Locked(long id, String queue) {}

    /** The database's time: a call covers the tasks that existed when it began. */
    public String begin() {
        return database.application("bulk-begin").query(String.class).single();
    }

    /** The matching tasks after {@code after}: at most {@code limit}, from at most {@code examine} rows read. */
    public Page find(Criteria criteria, String until, Position after, int examine, int limit) {
        List<Row> rows = bind(database.application(statement(criteria)), criteria, until)
                .param("queue", criteria.queue())
                .param("type", criteria.type())
                .param("errorType", criteria.errorType())
                .param("createdAfter", utc(criteria.createdAfter()))
                .param("createdBefore", utc(criteria.createdBefore()))
                .param("finishedAfter", utc(criteria.finishedAfter()))
                .param("finishedBefore", utc(criteria.finishedBefore()))
                .param("afterTime", after.time())
                .param("afterId", after.id())
                .param("examine", examine)
                .param("limit", limit)
                .query(BulkRepository::row)
                .list();
        List<Found> found =
                rows.stream().map(Row::found).filter(each -> each != null).toList();
        Row last = rows.get(rows.size() - 1);
        if (found.size() == limit) {
            return new Page(
                    found, position(last.sortTime(), found.get(limit - 1).id()));
        }
        return new Page(found, last.examined() == examine ? position(last.lastSortTime(), last.lastId()) : null);
    }

    /** Applies the action to the tasks that still match and are not locked, in one transaction with its audit entry. */
    public Changed apply(Terms terms, Criteria criteria, String until, Collection<Long> ids) {
        return database.inTransaction(() -> {
            database.application("bulk-patience").query(String.class).single();
            String lock = terms.kind() == Kind.RETRY ? "bulk-lock-failed" : "bulk-lock";
            List<Locked> locked = bind(database.application(lock), criteria, until)
                    .param("ids", SqlArrays.bigints(ids, id -> id))
                    .query((row, number) -> new Locked(row.getLong("id"), row.getString("queue")))
                    .list();
            if (locked.isEmpty()) {
                return new Changed(0, Set.of());
            }
            change(terms, locked);
            AuditRepository.record(
                    database.application("record-audit"),
                    action(terms.kind()),
                    terms.author(),
                    terms.filter(),
                    locked.size());
            Set<String> queues = new HashSet<>();
            locked.forEach(task -> queues.add(task.queue()));
            return new Changed(locked.size(), queues);
        });
    }

    /** Whether the calling thread is in a transaction, which the batches would join. */
    public boolean isInTransaction() {
        return database.callerTransaction().isOpen();
    }

    private void change(Terms terms, List<Locked> locked) {
        if (terms.kind() == Kind.CANCEL) {
            cancellation.cancel(
                    locked.stream().map(Locked::id).toList(),
                    terms.author().actor(),
                    terms.author().note());
            return;
        }
        JdbcClient.StatementSpec statement = database.application(statement(terms.kind()))
                .param("ids", SqlArrays.bigints(locked, Locked::id))
                .param("actor", terms.author().actor())
                .param("note", terms.author().note());
        if (terms.start() != null) {
            terms.start().bind(statement).query().listOfRows();
            return;
        }
        if (terms.kind() == Kind.RETRY) {
            statement = statement.param("attempts", terms.attempts());
        }
        statement.update();
    }

    private static String statement(Criteria criteria) {
        if (criteria.statuses().size() != 1) {
            return "bulk-find:live";
        }
        return switch (criteria.statuses().iterator().next()) {
            case HELD -> "bulk-find:held";
            case FAILED -> "bulk-find:failed";
            case RUNNING -> "bulk-find:running";
            default -> "bulk-find:live";
        };
    }

    private static JdbcClient.StatementSpec bind(JdbcClient.StatementSpec statement, Criteria criteria, String until) {
        return statement
                .param("statuses", SqlArrays.texts(criteria.statuses(), TaskStatus::name))
                .param(
                        "holdReason",
                        criteria.holdReason() == null
                                ? null
                                : criteria.holdReason().name())
                .param("until", until);
    }

    private static Position position(@Nullable String time, long id) {
        return time == null ? new Position(Position.FIRST.time(), id) : new Position(time, id);
    }

    private static AuditAction action(Kind kind) {
        return switch (kind) {
            case RELEASE -> AuditAction.RELEASE;
            case FAIL -> AuditAction.FAIL;
            case RETRY -> AuditAction.RETRY;
            case CANCEL -> AuditAction.CANCEL;
            case RESCHEDULE -> AuditAction.RESCHEDULE;
        };
    }

    private static String statement(Kind kind) {
        return switch (kind) {
            case RELEASE -> "release";
            case FAIL -> "fail-by-hand";
            case RETRY -> "retry";
            case CANCEL -> "cancel";
            case RESCHEDULE -> "reschedule-audited";
        };
    }

    private static Row row(ResultSet row, int number) throws SQLException {
        boolean matched = row.getObject("id") != null;
        return new Row(
                row.getInt("examined"),
                row.getString("last_sort_time"),
                row.getLong("last_id"),
                row.getString("sort_time"),
                matched ? new Found(row.getLong("id"), TaskStatus.valueOf(row.getString("status"))) : null);
    }

    private static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
