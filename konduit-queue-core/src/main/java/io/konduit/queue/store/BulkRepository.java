package io.konduit.queue.store;

import io.konduit.queue.HoldReason;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.store.AuditRepository.Author;
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

/** S13: decisions about everything that matches, a page and a batch at a time. */
public final class BulkRepository {
    private final QueueDatabase database;

    private final Cancellation cancellation;

    BulkRepository(QueueDatabase database, ControlMessages messages) {
        this.database = database;
        this.cancellation = new Cancellation(database, messages);
    }

    /** What can be done, and to tasks in which states. */
    public enum Kind {
        RELEASE("release", TaskStatus.HELD),
        FAIL("fail-by-hand", TaskStatus.HELD),
        RETRY("retry", TaskStatus.FAILED),
        CANCEL("cancel", TaskStatus.PENDING, TaskStatus.RUNNING, TaskStatus.HELD, TaskStatus.FAILED),
        RESCHEDULE("reschedule-audited", TaskStatus.PENDING);

        private final String statement;
        private final Set<TaskStatus> from;

        Kind(String statement, TaskStatus... from) {
            this.statement = statement;
            this.from = Set.of(from);
        }

        public Set<TaskStatus> from() {
            return from;
        }
    }

    /** Which tasks are asked for; null means any. */
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

    /** A task that matched when it was looked at. */
    public record Found(long id, TaskStatus status) {}

    /**
     * A page.
     *
     * @param next where the next page starts; null when there is none
     */
    public record Page(List<Found> found, @Nullable Cursor next) {}

    /**
     * What is done to a batch.
     *
     * @param attempts of a retry
     * @param start of a reschedule
     * @param filter what was asked for, as JSON
     */
    public record Terms(Kind kind, int attempts, @Nullable Start start, String filter, Author author) {}

    /**
     * What became of a batch.
     *
     * @param queues those of the tasks that were changed
     */
    public record Changed(int tasks, Set<String> queues) {}

    private record Row(
            int examined,
            @Nullable String lastPlace,
            long lastId,
            @Nullable String place,
            @Nullable Found found) {}

    private record Locked(long id, String queue) {}

    /** The database's time: a call concerns what was there when it began. */
    public String begin() {
        return database.application("bulk-begin").query(String.class).single();
    }

    /** The tasks that match after {@code after}: at most {@code most}, of at most {@code examine} that are looked at. */
    public Page find(Criteria criteria, String until, Cursor after, int examine, int most) {
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
                .param("most", most)
                .query(BulkRepository::row)
                .list();
        List<Found> found =
                rows.stream().map(Row::found).filter(each -> each != null).toList();
        Row last = rows.get(rows.size() - 1);
        if (found.size() == most) {
            return new Page(found, cursor(last.place(), found.get(most - 1).id()));
        }
        return new Page(found, last.examined() == examine ? cursor(last.lastPlace(), last.lastId()) : null);
    }

    /** Does it to those of the tasks that still match and that nobody has locked, in one transaction with its entry. */
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
                    terms.kind().name(),
                    terms.author(),
                    terms.filter(),
                    locked.size());
            Set<String> queues = new HashSet<>();
            locked.forEach(task -> queues.add(task.queue()));
            return new Changed(locked.size(), queues);
        });
    }

    /** Whether the calling thread is in a transaction, which batches would become part of. */
    public boolean isInTransaction() {
        return database.applicationTransaction() != null;
    }

    private void change(Terms terms, List<Locked> locked) {
        if (terms.kind() == Kind.CANCEL) {
            cancellation.cancel(
                    locked.stream().map(Locked::id).toList(),
                    terms.author().actor(),
                    terms.author().note());
            return;
        }
        JdbcClient.StatementSpec statement = database.application(terms.kind().statement)
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
            return "bulk-find-live";
        }
        return switch (criteria.statuses().iterator().next()) {
            case HELD -> "bulk-find-held";
            case FAILED -> "bulk-find-failed";
            case RUNNING -> "bulk-find-running";
            default -> "bulk-find-live";
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

    private static Cursor cursor(@Nullable String place, long id) {
        return place == null ? Cursor.ofId(id) : new Cursor(place, id);
    }

    private static Row row(ResultSet row, int number) throws SQLException {
        boolean matched = row.getObject("id") != null;
        return new Row(
                row.getInt("examined"),
                row.getString("last_place"),
                row.getLong("last_id"),
                row.getString("place"),
                matched ? new Found(row.getLong("id"), TaskStatus.valueOf(row.getString("status"))) : null);
    }

    private static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
