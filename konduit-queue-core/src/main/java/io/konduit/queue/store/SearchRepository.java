package io.konduit.queue.store;

import io.konduit.queue.Task;
import io.konduit.queue.TaskStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks for tasks, a page at a time. A page costs the same however many tasks there are. */
public final class SearchRepository {
    /** So many rows are looked at for one page when no index fits the question. */
    public static final int MOST_EXAMINED = 20_000;

    private final QueueDatabase database;
    private final ErrorRepository errors;

    public SearchRepository(QueueDatabase database) {
        this.database = database;
        this.errors = new ErrorRepository(database);
    }

    /** What is looked for; null means any. */
    public record Criteria(
            @Nullable TaskStatus status,
            @Nullable String queue,
            @Nullable String type,
            @Nullable String key) {

        /** Whether rows that are looked at may not match. */
        boolean isSelective() {
            return status == TaskStatus.PENDING || queue != null || type != null || key != null || isHistory();
        }

        boolean isHistory() {
            return status == TaskStatus.COMPLETED || status == TaskStatus.CANCELLED;
        }

        /** Whether the unique index answers. */
        boolean isLiveKey() {
            return key != null && queue != null && !isHistory() && status != TaskStatus.FAILED;
        }
    }

    /**
     * A page.
     *
     * @param examined how many rows were looked at
     * @param next where the next page starts; null when there is none
     */
    public record Page(
            List<Task> tasks, int examined, @Nullable Cursor next) {}

    private record Row(
            int examined,
            @Nullable Instant lastPlace,
            long lastId,
            @Nullable Task task) {}

    /** The tasks that match, newest first (failed ones: failed last first), at most {@code most}. */
    public Page search(Criteria criteria, Cursor before, int most) {
        int examine = criteria.isSelective() ? MOST_EXAMINED : most;
        List<Row> rows = database.application(statement(criteria))
                .param("beforeTime", before.time())
                .param("beforeId", before.id())
                .param("examine", examine)
                .param(
                        "status",
                        criteria.status() == null ? null : criteria.status().name())
                .param("queue", criteria.queue())
                .param("type", criteria.type())
                .param("key", criteria.key())
                .param("most", most)
                .query(SearchRepository::row)
                .list();
        List<Task> tasks = new ArrayList<>();
        rows.forEach(row -> {
            if (row.task() != null) {
                tasks.add(row.task());
            }
        });
        Row any = rows.get(0);
        Cursor next = null;
        if (tasks.size() == most) {
            Task last = tasks.get(most - 1);
            boolean failed = criteria.status() == TaskStatus.FAILED;
            next = cursor(failed ? last.finishedAt() : null, last.id().value());
        } else if (any.examined() == examine) {
            next = cursor(any.lastPlace(), any.lastId());
        }
        return new Page(errors.withLastErrors(tasks), any.examined(), next);
    }

    private static String statement(Criteria criteria) {
        if (criteria.isLiveKey()) {
            return "search-key";
        }
        if (criteria.status() == null) {
            return "search-all";
        }
        return switch (criteria.status()) {
            case PENDING -> "search-live";
            case RUNNING -> "search-running";
            case HELD -> "search-held";
            case FAILED -> "search-failed";
            case COMPLETED, CANCELLED -> "search-history";
        };
    }

    private static Cursor cursor(@Nullable Instant time, long id) {
        return time == null ? Cursor.ofId(id) : new Cursor(time.toString(), id);
    }

    private static Row row(ResultSet row, int number) throws SQLException {
        boolean matched = row.getObject("id") != null;
        return new Row(
                row.getInt("examined"),
                TaskColumns.instant(row, "last_place"),
                row.getLong("last_id"),
                matched ? TaskColumns.task(row, number) : null);
    }
}
