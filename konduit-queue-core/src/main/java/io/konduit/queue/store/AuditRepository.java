package io.konduit.queue.store;

import io.konduit.queue.admin.AuditAction;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Records bulk and worker operations: one entry per batch. */
public final class AuditRepository {
    private AuditRepository() {}

    /** The operator, and the reason. */
    public record Author(String actor, @Nullable String note) {}

    /** Writes an entry with {@code record-audit.sql}, prepared by the caller in its transaction. */
    public static void record(
            JdbcClient.StatementSpec statement,
            AuditAction action,
            Author author,
            @Nullable String filter,
            int changed) {
        statement
                .param("actor", author.actor())
                .param("action", action.name())
                .param("filter", filter)
                .param("changed", changed)
                .param("note", author.note())
                .update();
    }
}
