package io.konduit.queue.review;

import io.konduit.queue.TaskStatus;
import io.konduit.queue.admin.Cursor;
import io.konduit.queue.admin.TaskPage;
import io.konduit.queue.admin.TaskSearch;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ErrorRepository;
import io.konduit.queue.store.TaskRow;
import java.util.List;
import java.util.Objects;

/** Searches tasks, a page at a time. The cost of a page does not grow with the number of tasks. */
public final class SearchRepository {
    /** The number of rows read for one page when no index fits the query. */
    public static final int MAX_EXAMINED = 20_000;

    private final QueueDatabase database;
    private final ErrorRepository errors;

    public SearchRepository(QueueDatabase database) {
        this.database = database;
        this.errors = new ErrorRepository(database);
    }

    /** The matching tasks, newest first (failed ones: most recent failure first), at most {@code limit}. */
    public TaskPage search(TaskSearch search, Cursor before, int limit) {
        int examine = isSelective(search) ? MAX_EXAMINED : limit;
        List<SearchRow> rows = database.application(statement(search))
                .param("beforeTime", timeOf(before))
                .param("beforeId", before.id())
                .param("examine", examine)
                .param(
                        "status",
                        search.status() == null ? null : search.status().name())
                .param("queue", search.queue())
                .param("type", search.type())
                .param("key", search.key())
                .param("limit", limit)
                .query(database.repositories().rows(SearchRow.class))
                .list();
        List<TaskRow> found =
                rows.stream().map(SearchRow::task).filter(Objects::nonNull).toList();
        SearchRow any = rows.get(0);
        Cursor next = null;
        if (found.size() == limit) {
            TaskRow last = found.get(limit - 1);
            boolean failed = search.status() == TaskStatus.FAILED;
            next = new Cursor(failed ? last.finishedAt() : null, last.id());
        } else if (any.examined() == examine) {
            next = new Cursor(any.lastSortTime(), Objects.requireNonNull(any.lastId()));
        }
        return new TaskPage(errors.toTasks(found), any.examined(), next);
    }

    private static String statement(TaskSearch search) {
        if (isLiveKey(search)) {
            return "search:key";
        }
        if (search.status() == null) {
            return "search:all";
        }
        return switch (search.status()) {
            case PENDING -> "search:live";
            case RUNNING -> "search:running";
            case HELD -> "search:held";
            case FAILED -> "search:failed";
            case COMPLETED, CANCELLED -> "search:history";
        };
    }

    /** Whether some of the rows read may not match. */
    private static boolean isSelective(TaskSearch search) {
        return search.status() == TaskStatus.PENDING
                || search.queue() != null
                || search.type() != null
                || search.key() != null
                || isHistory(search);
    }

    private static boolean isHistory(TaskSearch search) {
        return search.status() == TaskStatus.COMPLETED || search.status() == TaskStatus.CANCELLED;
    }

    /** Whether the unique index answers. */
    private static boolean isLiveKey(TaskSearch search) {
        return search.key() != null
                && search.queue() != null
                && !isHistory(search)
                && search.status() != TaskStatus.FAILED;
    }

    /** For a page that is newest first. */
    static String timeOf(Cursor before) {
        return before.time() == null ? "infinity" : before.time().toString();
    }
}
