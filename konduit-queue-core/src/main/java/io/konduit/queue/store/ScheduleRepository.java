package io.konduit.queue.store;

import io.konduit.queue.CatchUp;
import io.konduit.queue.Overlap;
import io.konduit.queue.ScheduleFiring;
import io.konduit.queue.ScheduleFiring.Outcome;
import io.konduit.queue.ScheduleInfo;
import io.konduit.queue.ScheduleInfo.Pause;
import io.konduit.queue.ScheduleInfo.PauseReason;
import io.konduit.queue.TaskId;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import io.konduit.queue.store.AuditRepository.Author;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The statements of schedules. What applications and operators ask joins the caller's transaction; what the leader does has
 * a connection of the queue.
 */
public final class ScheduleRepository {
    private final QueueDatabase database;

    public ScheduleRepository(QueueDatabase database) {
        this.database = database;
    }

    /**
     * A nominal time that is now in the ledger.
     *
     * @param nominalAt null when the ledger had each of them already
     */
    public record Recorded(
            String name,
            @Nullable Instant nominalAt,
            @Nullable Outcome outcome) {}

    /** P2: schedules that are due, longest due first. */
    public List<DueSchedule> findDue(int limit) {
        return database.control("schedule-find-due")
                .param("limit", limit)
                .query((row, number) -> new DueSchedule(
                        row.getString("name"),
                        row.getLong("version"),
                        row.getString("type"),
                        row.getString("queue"),
                        row.getString("cron"),
                        row.getString("zone"),
                        millis(row, "every_ms"),
                        CatchUp.valueOf(row.getString("catch_up")),
                        requireInstant(row, "next_at"),
                        row.getBoolean("previous_unfinished") ? row.getLong("last_task_id") : null,
                        requireInstant(row, "now")))
                .list();
    }

    /** P2: fires what has not changed since it was read, all in one transaction. Others are left out of the result. */
    public List<Recorded> fire(List<PlannedFiring> firings) {
        record Row(DueSchedule schedule, PlannedFiring.Time time) {}
        List<Row> rows = firings.stream()
                .flatMap(firing -> firing.times().stream().map(time -> new Row(firing.schedule(), time)))
                .toList();
        return database.control("schedule-fire")
                .param("names", SqlArrays.texts(firings, firing -> firing.schedule()
                        .name()))
                .param("versions", SqlArrays.bigints(firings, firing -> firing.schedule()
                        .version()))
                .param("nextAts", SqlArrays.texts(firings, firing -> firing.nextAt()
                        .toString()))
                .param("firingNames", SqlArrays.texts(rows, row -> row.schedule()
                        .name()))
                .param(
                        "nominalAts",
                        SqlArrays.texts(rows, row -> row.time().nominalAt().toString()))
                .param(
                        "outcomes",
                        SqlArrays.texts(rows, row -> row.time().outcome().name()))
                .param("dropped", SqlArrays.bigints(rows, row -> row.time().dropped()))
                .param(
                        "unfinished",
                        SqlArrays.bigints(
                                rows,
                                row -> row.time().outcome() == Outcome.SKIPPED
                                        ? row.schedule().unfinished()
                                        : null))
                .query((row, number) -> new Recorded(
                        row.getString("name"),
                        instant(row, "nominal_at"),
                        row.getString("outcome") == null ? null : Outcome.valueOf(row.getString("outcome"))))
                .list();
    }

    /** P9: how long until the next schedule is due, negative if it is late; empty when there is none. */
    public Optional<Duration> untilNext() {
        return database.control("schedule-next").query(Long.class).optional().map(Duration::ofMillis);
    }

    /** The database's time. */
    public Instant now() {
        return database.joining(() -> database.application("server-time")
                .query((row, number) -> requireInstant(row, "server_time"))
                .single());
    }

    /** False when live workers declare a schedule with this name. */
    public boolean put(NewSchedule schedule) {
        return database.joining(() -> put(database.application("schedule-put"), schedule));
    }

    /** P6: the same for what this instance declares, on a connection of the queue. */
    public void declare(NewSchedule schedule) {
        put(database.control("schedule-put"), schedule);
    }

    /** The database's time, read on a connection of the queue. */
    public Instant controlNow() {
        return database.control("server-time")
                .query((row, number) -> requireInstant(row, "server_time"))
                .single();
    }

    private static boolean put(JdbcClient.StatementSpec statement, NewSchedule schedule) {
        NewSchedule.Template task = schedule.task();
        return statement
                        .param("name", schedule.name())
                        .param("cron", schedule.cron())
                        .param("zone", schedule.zone())
                        .param(
                                "everyMs",
                                schedule.every() == null
                                        ? null
                                        : schedule.every().toMillis())
                        .param("catchUp", schedule.catchUp().name())
                        .param("overlap", schedule.overlap().name())
                        .param("nextAt", utc(schedule.nextAt()))
                        .param("declared", schedule.declared())
                        .param("type", task.type())
                        .param("queue", task.queue())
                        .param("payload", task.payload())
                        .param("priority", task.priority())
                        .param("maxAttempts", task.maxAttempts())
                        .param("reapable", task.reapable())
                        .param(
                                "lockTimeoutMs",
                                task.lockTimeout() == null
                                        ? null
                                        : task.lockTimeout().toMillis())
                        .param(
                                "timeoutMs",
                                task.timeout() == null ? null : task.timeout().toMillis())
                        .update()
                == 1;
    }

    public boolean remove(String name) {
        return database.joining(() ->
                database.application("schedule-remove").param("name", name).update() == 1);
    }

    public Optional<StoredSchedule> find(String name) {
        return find("schedule-find", name);
    }

    /** Waits for a firing that is under way, and keeps others away until the transaction ends. */
    public Optional<StoredSchedule> lock(String name) {
        return find("schedule-lock", name);
    }

    private Optional<StoredSchedule> find(String statement, String name) {
        return database.application(statement)
                .param("name", name)
                .query((row, number) -> stored(row))
                .optional();
    }

    public List<ScheduleInfo> list(String after, int limit) {
        return database.application("schedule-list")
                .param("after", after)
                .param("limit", limit)
                .query((row, number) -> stored(row).info())
                .list();
    }

    public List<ScheduleFiring> firings(String name, int limit) {
        return database.application("schedule-list-firings")
                .param("name", name)
                .param("limit", limit)
                .query((row, number) -> new ScheduleFiring(
                        requireInstant(row, "nominal_at"),
                        Outcome.valueOf(row.getString("outcome")),
                        requireInstant(row, "recorded_at"),
                        task(row, "task_id"),
                        row.getLong("dropped"),
                        row.getString("actor")))
                .list();
    }

    /** P7: with its audit entry; false when an operator has paused it already, or there is none. */
    public boolean pause(String name, Author author) {
        return database.joining(() -> database.application("schedule-pause")
                        .param("name", name)
                        .param("actor", author.actor())
                        .param("note", author.note())
                        .update()
                == 1);
    }

    /** P7: with its audit entry; false when it has changed since it was read. */
    public boolean resume(StoredSchedule read, Instant nextAt, Author author) {
        return database.joining(() -> database.application("schedule-resume")
                        .param("name", read.info().name())
                        .param("version", read.version())
                        .param("nextAt", utc(nextAt))
                        .param("actor", author.actor())
                        .param("note", author.note())
                        .update()
                == 1);
    }

    /**
     * What became of a run by hand.
     *
     * @param allowed false when the previous task is not finished
     * @param task null if there is none, although it is allowed: the ledger has this very microsecond
     */
    public record RunByHand(boolean allowed, @Nullable TaskId task) {}

    /** P7: with its audit entry, in the transaction that has locked it. */
    public RunByHand runNow(String name, Author author) {
        return database.application("schedule-run-now")
                .param("name", name)
                .param("actor", author.actor())
                .param("note", author.note())
                .query((row, number) -> new RunByHand(row.getBoolean("allowed"), task(row, "task_id")))
                .single();
    }

    /** Work of several statements in the caller's transaction, or in a new one. */
    public <T> T inTransaction(Supplier<T> work) {
        return database.inTransaction(work);
    }

    /** P6: pauses a schedule whose times cannot be computed; false when it has changed since it was read. */
    public boolean pauseInvalid(DueSchedule schedule, String by, String note) {
        return database.control("schedule-invalid")
                        .param("name", schedule.name())
                        .param("version", schedule.version())
                        .param("by", by)
                        .param("note", note)
                        .update()
                == 1;
    }

    /** P6: pauses what no live worker has declared for this long; returns the names. */
    public List<String> pauseUndeclared(Duration staleThreshold, Duration after, String by) {
        database.control("schedule-mark-undeclared")
                .param("staleMs", staleThreshold.toMillis())
                .update();
        return database.control("schedule-pause-undeclared")
                .param("by", by)
                .param("afterMs", after.toMillis())
                .query(String.class)
                .list();
    }

    private static StoredSchedule stored(ResultSet row) throws SQLException {
        String reason = row.getString("pause_reason");
        Pause pause = reason == null
                ? null
                : new Pause(
                        PauseReason.valueOf(reason),
                        requireInstant(row, "paused_at"),
                        row.getString("paused_by"),
                        row.getString("pause_note"));
        ScheduleInfo info = new ScheduleInfo(
                row.getString("name"),
                row.getString("type"),
                row.getString("queue"),
                row.getString("cron"),
                row.getString("zone"),
                millis(row, "every_ms"),
                CatchUp.valueOf(row.getString("catch_up")),
                Overlap.valueOf(row.getString("overlap")),
                requireInstant(row, "next_at"),
                task(row, "last_task_id"),
                row.getBoolean("declared"),
                pause);
        return new StoredSchedule(info, row.getLong("version"), requireInstant(row, "now"));
    }

    private static @Nullable TaskId task(ResultSet row, String column) throws SQLException {
        long id = row.getLong(column);
        return row.wasNull() ? null : TaskId.of(id);
    }

    private static @Nullable Duration millis(ResultSet row, String column) throws SQLException {
        return millis(row, row.findColumn(column));
    }

    private static @Nullable Duration millis(ResultSet row, int column) throws SQLException {
        long millis = row.getLong(column);
        return row.wasNull() ? null : Duration.ofMillis(millis);
    }

    private static Instant requireInstant(ResultSet row, String column) throws SQLException {
        return Objects.requireNonNull(instant(row, column));
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    private static OffsetDateTime utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
