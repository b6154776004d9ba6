package io.konduit.queue.testing;

import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Runs a task once for every point where its worker could die, and once for every point where its worker could freeze and
 * go on too late, and compares what is left behind.
 *
 * <pre>{@code
 * @KonduitQueueTest
 * class ImportTests {
 *     @Test
 *     void endsTheSameWhereverItsWorkerDies(@Autowired ManualWorker worker) {
 *         CrashEverywhere.of(worker)
 *                 .task("import", new Products(3))
 *                 .endState("select name from product")
 *                 .run()
 *                 .assertSameEnd();
 *     }
 * }
 * }</pre>
 *
 * <p>A worker can die at the start, after each commit before the handler hears of it, after each checkpoint, at each
 * {@link CrashPoint#reached}, before the outcome is written, and after it. Its transactions are then rolled back and its
 * sessions closed, the reaper takes the task back, and another worker runs it. A zombie freezes at the start, before
 * each commit and checkpoint, and before the outcome; its task is taken back and runs elsewhere; then it goes on.
 *
 * <p>Every run begins with the same rows: the database is put back as it was when the task had been enqueued, and at the
 * end as it was before. Sequences are not put back, so leave generated keys out of the end state. The task that the
 * handler gets is the same each time, with its id, idempotency key and payload. Follow-ups that it enqueues are not run;
 * how many there are belongs to the end state.
 */
public final class CrashEverywhere {
    private final ManualWorker worker;
    private final Map<String, Supplier<List<String>>> endState = new LinkedHashMap<>();
    private final List<Runnable> resets = new ArrayList<>();
    private final Set<String> allowed = new LinkedHashSet<>();
    private @Nullable Runnable enqueuing;

    private CrashEverywhere(ManualWorker worker) {
        this.worker = worker;
    }

    /** A new test, with the handlers of this worker's application. */
    public static CrashEverywhere of(ManualWorker worker) {
        return new CrashEverywhere(worker);
    }

    /** The task to run. */
    public CrashEverywhere task(String type, @Nullable Object payload) {
        return task(TaskRequest.of(type, payload));
    }

    /** The task to run. */
    public CrashEverywhere task(TaskRequest request) {
        return enqueuedBy(() -> worker.context().getBean(TaskQueue.class).enqueue(request));
    }

    /** Enqueues the task to run, and commits: a call of the application, for example. Runs once. */
    public CrashEverywhere enqueuedBy(Runnable application) {
        if (enqueuing != null) {
            throw new IllegalStateException("Expected one task, but there are two. Use one test for each.");
        }
        enqueuing = application;
        return this;
    }

    /** The rows of this query are part of the end state, in any order. Select what matters: no generated keys, no times. */
    public CrashEverywhere endState(String sql) {
        return part(sql.strip().replaceAll("\\s+", " "), () -> rows(sql));
    }

    /** Whole tables are part of the end state, in any order of rows. */
    public CrashEverywhere endStateOfTables(String... tables) {
        Arrays.stream(tables).forEach(table -> part("table " + table, () -> rows("select * from " + table)));
        return this;
    }

    /**
     * Something outside the database is part of the end state: the mails that a fake has been given, for example. It is
     * compared by its text, a collection by those of its elements, in order.
     */
    public CrashEverywhere endState(String name, Supplier<?> value) {
        return part(name, () -> EndState.lines(Objects.requireNonNull(value.get(), name)));
    }

    private CrashEverywhere part(String name, Supplier<List<String>> lines) {
        endState.put(name, lines);
        return this;
    }

    /** Called before each run, when the database has been put back: clears a fake, for example. */
    public CrashEverywhere reset(Runnable reset) {
        resets.add(reset);
        return this;
    }

    /** Allows a database whose name does not contain "test". Every table in it may be emptied and refilled. */
    public CrashEverywhere allowDatabase(String name) {
        allowed.add(name);
        return this;
    }

    /**
     * Runs the task: twice undisturbed, then once for each death and each zombie.
     *
     * @throws IllegalStateException if the test is not set up for it, if the database does not look like one for tests, or
     *     if two undisturbed runs do not end the same
     */
    public CrashReport run() {
        if (enqueuing == null) {
            throw new IllegalStateException("Expected a task: say task(type, payload) or enqueuedBy(...).");
        }
        if (endState.isEmpty()) {
            throw new IllegalStateException(
                    "Expected an end state to compare: say endState(\"select ...\"), endStateOfTables(...) or endState(name, supplier).");
        }
        worker.requireNoTransaction();
        TestPreconditions.requireWatched(worker);
        TestPreconditions.requireTestDatabase(worker.engine().database(), allowed);
        return new CrashRuns(worker, enqueuing, endState, resets).run();
    }

    /** As JSON, which shows values of any type. Sorted, because the order of rows is nothing that a handler decides. */
    private List<String> rows(String sql) {
        String query = sql.strip().replaceFirst(";$", "");
        return JdbcClient.create(worker.engine().database().application())
                .sql("select to_jsonb(state)::text from (\n" + query + "\n) state")
                .query(String.class)
                .list()
                .stream()
                .sorted()
                .toList();
    }
}
