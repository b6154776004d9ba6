package io.konduit.queue.store;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What people did to many tasks at once and to workers: one entry per batch. */
public final class AuditRepository {
    private final QueueDatabase database;

    public AuditRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * Somebody did something.
     *
     * @param target the worker, where it was about one
     * @param filter which tasks were asked for, as JSON
     * @param changed how many rows it changed
     */
    public record Entry(
            long id,
            Instant at,
            String actor,
            String action,
            @Nullable String target,
            @Nullable String filter,
            int changed,
            @Nullable String note) {}

    /** Who does something, and why. */
    public record Author(String actor, @Nullable String note) {}

    /** The entries before {@code beforeId}, newest first. */
    public List<Entry> entries(long beforeId, int most) {
        return database.application("list-audit")
                .param("beforeId", beforeId)
                .param("most", most)
                .query((row, number) -> new Entry(
                        row.getLong("id"),
                        row.getTimestamp("at").toInstant(),
                        row.getString("actor"),
                        row.getString("action"),
                        row.getString("target"),
                        row.getString("filter"),
                        row.getInt("changed"),
                        row.getString("note")))
                .list();
    }

    /** Writes an entry with a statement of {@code record-audit.sql}, which the caller has put into its transaction. */
    static void record(
            JdbcClient.StatementSpec statement, String action, Author author, @Nullable String filter, int changed) {
        statement
                .param("actor", author.actor())
                .param("action", action.toUpperCase(Locale.ROOT))
                .param("filter", filter)
                .param("changed", changed)
                .param("note", author.note())
                .update();
    }
}
