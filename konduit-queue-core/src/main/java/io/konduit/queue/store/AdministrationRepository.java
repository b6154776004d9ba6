package io.konduit.queue.store;

import io.konduit.queue.HeldTask;
import io.konduit.queue.HoldReason;
import io.konduit.queue.Incident;
import io.konduit.queue.Task;
import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What people look at and decide. Each decision is one statement with its audit row, and tells whether it was made. */
public final class AdministrationRepository {
    private final QueueDatabase database;
    private final ControlMessages messages;

    public AdministrationRepository(QueueDatabase database) {
        this(database, ControlMessages.none(database));
    }

    /** @param messages told when tasks were cancelled that workers had */
    public AdministrationRepository(QueueDatabase database, ControlMessages messages) {
        this.database = database;
        this.messages = messages;
    }

    /** T12. */
    public boolean release(TaskId id, String actor, @Nullable String note) {
        return database.joining(() -> decision("release", id, actor, note).update() == 1);
    }

    /** T14. */
    public boolean failByHand(TaskId id, String actor, @Nullable String note) {
        return database.joining(() -> decision("fail-by-hand", id, actor, note).update() == 1);
    }

    /** T13. */
    public boolean retry(TaskId id, int attempts, String actor, @Nullable String note) {
        return database.joining(() ->
                decision("retry", id, actor, note).param("attempts", attempts).update() == 1);
    }

    /** The same for many tasks at once. */
    public BulkRepository bulk() {
        return new BulkRepository(database, messages);
    }

    /** What was done to many tasks at once. */
    public AuditRepository audit() {
        return new AuditRepository(database);
    }

    /** The review inbox, by id, after {@code afterId}. */
    public List<HeldTask> held(long afterId, int most) {
        return database.application("list-held")
                .param("afterId", afterId)
                .param("most", most)
                .query(AdministrationRepository::heldTask)
                .list();
    }

    /** Live tasks that have lost more than so many workers, most first. */
    public List<TaskId> zombies(int above, int most) {
        return database.application("list-zombies")
                .param("above", above)
                .param("most", most)
                .query((row, number) -> TaskId.of(row.getLong("id")))
                .list();
    }

    /** The evidence of the last {@code period}, newest first, before incident {@code beforeId}. */
    public List<Incident> incidents(Duration period, long beforeId, int most) {
        return database.application("list-incidents")
                .param("periodMs", period.toMillis())
                .param("beforeId", beforeId)
                .param("most", most)
                .query(AdministrationRepository::incident)
                .list();
    }

    public List<Incident> incidentsOf(TaskId id, int most) {
        return database.application("list-incidents-of-task")
                .param("taskId", id.value())
                .param("most", most)
                .query(AdministrationRepository::incident)
                .list();
    }

    private JdbcClient.StatementSpec decision(String statement, TaskId id, String actor, @Nullable String note) {
        return database.application(statement)
                .param("ids", SqlArrays.bigints(List.of(id), TaskId::value))
                .param("actor", actor)
                .param("note", note);
    }

    private static HeldTask heldTask(ResultSet row, int number) throws SQLException {
        TaskId id = TaskId.of(row.getLong("id"));
        String type = row.getString("type");
        Instant createdAt = row.getTimestamp("created_at").toInstant();
        return new HeldTask(
                id,
                row.getString("queue"),
                type,
                HoldReason.valueOf(row.getString("hold_reason")),
                row.getInt("attempts"),
                row.getInt("zombie_count"),
                row.getString("unique_key"),
                Task.idempotencyKey(id, type, createdAt),
                createdAt,
                instant(row, "last_checkpoint_at"),
                instant(row, "held_at"),
                row.getObject("previous_owner", UUID.class),
                instant(row, "lease_started_at"),
                instant(row, "lease_ended_at"),
                row.getString("late_outcome"),
                instant(row, "late_outcome_at"),
                error(row));
    }

    private static @Nullable TaskError error(ResultSet row) throws SQLException {
        String type = row.getString("error_type");
        return type == null
                ? null
                : new TaskError(
                        type,
                        row.getString("error_message"),
                        row.getInt("error_attempt"),
                        row.getTimestamp("error_at").toInstant());
    }

    static Incident incident(ResultSet row, int number) throws SQLException {
        long delay = row.getLong("detection_delay_ms");
        Duration detectionDelay = row.wasNull() ? null : Duration.ofMillis(delay);
        return new Incident(
                row.getLong("id"),
                TaskId.of(row.getLong("task_id")),
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
                detectionDelay,
                row.getInt("attempts"),
                row.getInt("zombie_count"),
                row.getString("late_outcome"),
                instant(row, "late_outcome_at"),
                row.getString("outcome"),
                instant(row, "outcome_at"));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        Timestamp value = row.getTimestamp(column);
        return value == null ? null : value.toInstant();
    }
}
