package io.konduit.queue;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task as it is in the database.
 *
 * @param maxAttempts null until a worker has decided; so is {@code reapable}
 */
public record StoredTask(
        long id,
        String queue,
        String type,
        String status,
        Instant runAt,
        int attempts,
        @Nullable Integer maxAttempts,
        @Nullable Integer uncharged,
        @Nullable Boolean reapable,
        int zombieCount,
        int zombieBase,
        long leaseEpoch,
        @Nullable UUID lockedBy,
        @Nullable Instant lockedAt,
        @Nullable Instant lockTimeoutAt,
        @Nullable String checkpoint,
        @Nullable Instant lastCheckpointAt,
        @Nullable String holdReason,
        @Nullable String lastError,
        @Nullable Instant finishedAt,
        String everything) {

    /** For {@code konduit_task t}. */
    static final String COLUMNS = "t.*, to_jsonb(t)::text as everything";

    static StoredTask of(ResultSet row, int number) throws SQLException {
        return new StoredTask(
                row.getLong("id"),
                row.getString("queue"),
                row.getString("type"),
                row.getString("status"),
                row.getTimestamp("run_at").toInstant(),
                row.getInt("attempts"),
                row.getObject("max_attempts", Integer.class),
                row.getObject("uncharged", Integer.class),
                row.getObject("reapable", Boolean.class),
                row.getInt("zombie_count"),
                row.getInt("zombie_base"),
                row.getLong("lease_epoch"),
                row.getObject("locked_by", UUID.class),
                StoredIncident.instant(row, "locked_at"),
                StoredIncident.instant(row, "lock_timeout_at"),
                row.getString("checkpoint"),
                StoredIncident.instant(row, "last_checkpoint_at"),
                row.getString("hold_reason"),
                row.getString("last_error"),
                StoredIncident.instant(row, "finished_at"),
                row.getString("everything"));
    }
}
