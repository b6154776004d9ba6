package io.konduit.queue.insert;

import io.konduit.queue.Submission;
import io.konduit.queue.TaskId;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlArrays;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.SqlArrayValue;

/**
 * Stores new tasks in the caller's transaction, or in a new one. Chooses the cheapest way: a batch shared with other
 * callers, one insert, one insert of many rows, or COPY.
 */
public final class TaskInserts {
    private static final int ROWS_PER_STATEMENT = 10_000;

    /** From this size on it pays to draw ids first and send the rows by COPY. */
    private static final int ROWS_FOR_COPY = 2_000;

    /** A larger payload is sent alone: it must not delay other callers' batches. */
    private static final int LARGEST_SHARED = 32 * 1024;

    /** Characters of payloads: a PostgreSQL array holds less than 1 GB, and the driver keeps it in memory twice. */
    private static final long CHARS_PER_STATEMENT = 32L * 1024 * 1024;

    private static final int TRIES_FOR_A_KEY = 10;

    private final QueueDatabase database;
    private final String enqueue;
    private final String enqueueSameShape;
    private final EnqueueGroups groups;
    private final boolean groupEnqueues;
    private final TaskCopy copy;

    public TaskInserts(QueueDatabase database) {
        this(database, true);
    }

    /** @param groupEnqueues whether concurrent enqueues outside transactions share a statement */
    public TaskInserts(QueueDatabase database, boolean groupEnqueues) {
        this.database = database;
        this.groupEnqueues = groupEnqueues;
        this.groups = new EnqueueGroups(this::insertGroup);
        this.copy = new TaskCopy(database);
        this.enqueue = database.statements().positional("enqueue");
        this.enqueueSameShape = database.statements().positional("enqueue-many-same-shape");
    }

    /** Whether the calling thread's enqueues are committed later, with a transaction of the application. */
    public boolean commitsLater() {
        return database.callerTransaction().commitsLater();
    }

    /** T1, one statement; a second one only when a live task has the unique key already. */
    public Submission enqueue(NewTask task) {
        if (task.uniqueKey() == null) {
            return groupEnqueues && task.payload().length() <= LARGEST_SHARED && database.canShareStatements()
                    ? groups.enqueue(task)
                    : database.joining(() -> insertOne(task));
        }
        // waits for the holder of the key; other callers should not have to
        return database.joining(() -> enqueueUnique(task));
    }

    /**
     * T1 for many, all or none of them.
     *
     * @param tasks may throw on access: then nothing is stored, and the caller's transaction stays usable
     * @param keys whether one of them has a unique key
     */
    public List<Submission> enqueueAll(List<NewTask> tasks, boolean keys) {
        if (tasks.isEmpty()) {
            return List.of();
        }
        if (!keys && tasks.size() >= ROWS_FOR_COPY) {
            // an aborted COPY aborts its transaction
            List<NewTask> safe = database.callerTransaction().isActiveAnywhere() ? List.copyOf(tasks) : tasks;
            return database.joining(() -> copy.insert(safe)).orElseGet(() -> insertInPortions(safe));
        }
        return !keys && portion(tasks, 0) == tasks.size()
                ? database.joining(() -> insertMany(tasks))
                : insertInPortions(List.copyOf(tasks));
    }

    private List<Submission> insertInPortions(List<NewTask> tasks) {
        return database.inTransaction(() -> {
            List<Submission> all = new ArrayList<>(tasks.size());
            int to;
            for (int from = 0; from < tasks.size(); from = to) {
                to = portion(tasks, from);
                all.addAll(insertMany(tasks.subList(from, to)));
            }
            return all;
        });
    }

    /** The end of the statement that starts with this task. */
    private static int portion(List<NewTask> tasks, int from) {
        int end = Math.min(tasks.size(), from + ROWS_PER_STATEMENT);
        long chars = tasks.get(from).payload().length();
        int to = from + 1;
        while (to < end && (chars += tasks.get(to).payload().length()) <= CHARS_PER_STATEMENT) {
            to++;
        }
        return to;
    }

    /** Stores tasks without a unique key in one statement that commits by itself. */
    List<Submission> insertGroup(List<NewTask> tasks) {
        return tasks.size() == 1 ? List.of(insertOne(tasks.get(0))) : insertMany(tasks);
    }

    private Submission enqueueUnique(NewTask task) {
        for (int attempt = 0; attempt < TRIES_FOR_A_KEY; attempt++) {
            Optional<Long> id = insert("enqueue-unique", task)
                    .param("uniqueKey", task.uniqueKey())
                    .query(Long.class)
                    .optional();
            if (id.isPresent()) {
                return created(id.get());
            }
            Optional<Submission> existing = findByKey(task);
            if (existing.isPresent()) {
                return existing.get();
            }
            // the holder ended between the two statements: the key is free now
        }
        throw new CannotAcquireLockException("The unique key of a '" + task.type() + "' task in queue '" + task.queue()
                + "' changed hands " + TRIES_FOR_A_KEY + " times while it was enqueued. Try again.");
    }

    private Optional<Submission> findByKey(NewTask task) {
        return database.application("find-by-unique-key")
                .param("queue", task.queue())
                .param("uniqueKey", task.uniqueKey())
                .query(Long.class)
                .optional()
                .map(id -> new Submission(TaskId.of(id), false));
    }

    private Submission insertOne(NewTask task) {
        List<Long> id = database.insertingTemplate()
                .query(
                        enqueue,
                        statement -> {
                            statement.setString(1, task.queue());
                            statement.setString(2, task.type());
                            statement.setString(3, task.payload());
                            statement.setInt(4, task.priority());
                            setRunAt(statement, 5, task);
                            setOptions(statement, 7, task);
                        },
                        (row, number) -> row.getLong(1));
        return created(id.get(0));
    }

    private JdbcClient.StatementSpec insert(String statement, NewTask task) {
        return database.inserting(statement)
                .param("queue", task.queue())
                .param("type", task.type())
                .param("payload", task.payload())
                .param("priority", task.priority())
                .param("runAt", utc(task.runAt()))
                .param("delayMs", task.delay().toMillis())
                .param("maxAttempts", task.maxAttempts())
                .param("reapable", task.reapable())
                .param("lockTimeoutMs", task.lockTimeoutMs())
                .param("timeoutMs", task.timeoutMs())
                .param("traceContext", task.traceContext());
    }

    private List<Submission> insertMany(List<NewTask> tasks) {
        NewTask first = tasks.get(0);
        if (first.uniqueKey() == null && tasks.stream().allMatch(first::differsInPayloadOnly)) {
            return insertSameShape(first, tasks);
        }
        boolean keys = tasks.stream().anyMatch(task -> task.uniqueKey() != null);
        JdbcClient.StatementSpec statement = keys
                ? database.inserting("enqueue-many-unique")
                        .param("uniqueKeys", SqlArrays.texts(tasks, NewTask::uniqueKey))
                : database.inserting("enqueue-many");
        List<Submission> inserted = statement
                .param("queues", SqlArrays.texts(tasks, NewTask::queue))
                .param("types", SqlArrays.texts(tasks, NewTask::type))
                .param("payloads", SqlArrays.texts(tasks, NewTask::payload))
                .param("priorities", SqlArrays.integers(tasks, NewTask::priority))
                .param("runAts", SqlArrays.texts(tasks, task -> Objects.toString(task.runAt(), null)))
                .param("delaysMs", SqlArrays.bigints(tasks, task -> task.delay().toMillis()))
                .param("maxAttempts", SqlArrays.integers(tasks, NewTask::maxAttempts))
                .param("reapables", SqlArrays.booleans(tasks, NewTask::reapable))
                .param("lockTimeoutsMs", SqlArrays.bigints(tasks, NewTask::lockTimeoutMs))
                .param("timeoutsMs", SqlArrays.bigints(tasks, NewTask::timeoutMs))
                .param("traceContexts", SqlArrays.texts(tasks, NewTask::traceContext))
                .query((row, number) -> new Submission(TaskId.of(row.getLong("id")), row.getBoolean("created")))
                .list();
        List<Submission> result = new ArrayList<>(inserted.size());
        for (int i = 0; i < inserted.size(); i++) {
            result.add(inserted.get(i).created() ? inserted.get(i) : enqueueUnique(tasks.get(i)));
        }
        return result;
    }

    private List<Submission> insertSameShape(NewTask first, List<NewTask> tasks) {
        SqlArrayValue payloads = SqlArrays.texts(tasks, NewTask::payload);
        List<Long> ids = new ArrayList<>(database.insertingTemplate()
                .query(
                        enqueueSameShape,
                        statement -> {
                            setRunAt(statement, 1, first);
                            statement.setString(3, first.queue());
                            statement.setString(4, first.type());
                            statement.setInt(5, first.priority());
                            setOptions(statement, 6, first);
                            payloads.setValue(statement, 11);
                        },
                        (row, number) -> row.getLong(1)));
        ids.sort(null);
        return ids.stream().map(TaskInserts::created).toList();
    }

    private static void setRunAt(PreparedStatement statement, int index, NewTask task) throws SQLException {
        statement.setObject(index, utc(task.runAt()), Types.TIMESTAMP_WITH_TIMEZONE);
        statement.setLong(index + 1, task.delay().toMillis());
    }

    private static void setOptions(PreparedStatement statement, int index, NewTask task) throws SQLException {
        statement.setObject(index, task.maxAttempts(), Types.INTEGER);
        statement.setObject(index + 1, task.reapable(), Types.BOOLEAN);
        statement.setObject(index + 2, task.lockTimeoutMs(), Types.BIGINT);
        statement.setObject(index + 3, task.timeoutMs(), Types.BIGINT);
        statement.setString(index + 4, task.traceContext());
    }

    private static Submission created(long id) {
        return new Submission(TaskId.of(id), true);
    }

    private static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }
}
