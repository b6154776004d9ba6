package io.konduit.queue.store;

import io.konduit.queue.HoldReason;
import io.konduit.queue.Priority;
import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the columns of a task that people may see: all but payload, checkpoint and error. */
final class TaskColumns {
    private TaskColumns() {}

    static Task task(ResultSet row, int number) throws SQLException {
        return new Task(
                TaskId.of(row.getLong("id")),
                row.getString("queue"),
                row.getString("type"),
                TaskStatus.valueOf(row.getString("status")),
                Priority.ofLevel(row.getInt("priority")),
                row.getTimestamp("run_at").toInstant(),
                row.getInt("attempts"),
                row.getObject("max_attempts", Integer.class),
                row.getObject("reapable", Boolean.class),
                row.getInt("zombie_count"),
                row.getLong("lease_epoch"),
                row.getObject("locked_by", UUID.class),
                instant(row, "locked_at"),
                instant(row, "lock_timeout_at"),
                instant(row, "last_checkpoint_at"),
                holdReason(row),
                row.getString("unique_key"),
                row.getTimestamp("created_at").toInstant(),
                instant(row, "finished_at"),
                null);
    }

    static @Nullable HoldReason holdReason(ResultSet row) throws SQLException {
        return row.getString("hold_reason") == null ? null : requiredHoldReason(row);
    }

    static HoldReason requiredHoldReason(ResultSet row) throws SQLException {
        return HoldReason.valueOf(row.getString("hold_reason"));
    }

    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        Timestamp value = row.getTimestamp(column);
        return value == null ? null : value.toInstant();
    }
}
