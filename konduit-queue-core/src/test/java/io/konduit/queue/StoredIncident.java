package io.konduit.queue;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An incident as it is in the database: all of its columns. */
public record StoredIncident(
        long id,
        long taskId,
        String queue,
        String type,
        String classification,
        String action,
        String actor,
        @Nullable String note,
        @Nullable UUID previousOwner,
        long leaseEpoch,
        @Nullable Instant leaseStartedAt,
        @Nullable Instant leaseEndedAt,
        Instant detectedAt,
        @Nullable Long detectionDelayMs,
        int attempts,
        int zombieCount,
        @Nullable String lateOutcome,
        @Nullable Instant lateOutcomeAt,
        @Nullable String outcome,
        @Nullable Instant outcomeAt,
        @Nullable Instant witnessGoneAt,
        @Nullable Instant lastBeatAt) {

    static StoredIncident of(ResultSet row, int number) throws SQLException {
        return new StoredIncident(
                row.getLong("id"),
                row.getLong("task_id"),
                row.getString("queue"),
                row.getString("type"),
                row.getString("classification"),
                row.getString("action"),
                row.getString("actor"),
                row.getString("note"),
                row.getObject("previous_owner", UUID.class),
                row.getLong("lease_epoch"),
                instant(row, "lease_started_at"),
                instant(row, "lease_ended_at"),
                row.getTimestamp("detected_at").toInstant(),
                row.getObject("detection_delay_ms", Long.class),
                row.getInt("attempts"),
                row.getInt("zombie_count"),
                row.getString("late_outcome"),
                instant(row, "late_outcome_at"),
                row.getString("outcome"),
                instant(row, "outcome_at"),
                instant(row, "witness_gone_at"),
                instant(row, "last_beat_at"));
    }

    static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        Timestamp value = row.getTimestamp(column);
        return value == null ? null : value.toInstant();
    }
}
