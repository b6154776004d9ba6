package io.konduit.queue.testing;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.testing.CrashReport.CrashRun;
import io.konduit.queue.testing.CrashReport.Fate;
import io.konduit.queue.testing.CrashReport.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The runs of one test of crashes.
 *
 * <ol>
 *   <li>The task is enqueued, and the database is remembered.
 *   <li>An undisturbed run counts the points, and a second one shows that the end depends on nothing else.
 *   <li>For each point, a worker dies there or freezes there, and another one runs the task to its end.
 * </ol>
 */
final class CrashRuns {
    private static final int MAX_POINTS = 300;

    private final ManualWorker worker;
    private final Runnable enqueuing;
    private final Map<String, Supplier<List<String>>> sources;
    private final List<Runnable> resets;
    private final QueueDatabase database;
    private final JdbcClient jdbc;
    private final TaskDriver here;
    private final TaskDriver elsewhere;

    CrashRuns(
            ManualWorker worker,
            Runnable enqueuing,
            Map<String, Supplier<List<String>>> endState,
            List<Runnable> resets) {
        this.worker = worker;
        this.enqueuing = enqueuing;
        this.sources = new LinkedHashMap<>(endState);
        this.resets = resets;
        this.database = worker.engine().database();
        this.jdbc = JdbcClient.create(database.application());
        this.here = new TaskDriver(worker);
        this.elsewhere = new TaskDriver(worker.elsewhere());
    }

    CrashReport run() {
        DatabaseSnapshot untouched = DatabaseSnapshot.take(database.application());
        try {
            TaskId id = enqueue();
            sources.put(
                    "state of the task", () -> List.of(here.find(id).status().name()));
            sources.put("tasks that the handler enqueued", () -> followUps(id));
            DatabaseSnapshot enqueued = DatabaseSnapshot.take(database.application());
            return new Series(id, enqueued).run();
        } finally {
            untouched.restore();
        }
    }

    private TaskId enqueue() {
        List<Long> before = liveTasks();
        enqueuing.run();
        List<Long> added = new ArrayList<>(liveTasks());
        added.removeAll(before);
        if (added.size() != 1) {
            throw new IllegalStateException(
                    "Expected one task to be enqueued and committed, but there are " + added.size() + ".");
        }
        return TaskId.of(added.get(0));
    }

    private List<Long> liveTasks() {
        return jdbc.sql("select id from " + database.table("konduit_task"))
                .query(Long.class)
                .list();
    }

    private List<String> followUps(TaskId id) {
        return jdbc.sql("select type || ' ' || status || ', ' || count(*) from " + database.table("konduit_tasks")
                        + " where id <> :id group by type, status order by type, status")
                .param("id", id.value())
                .query(String.class)
                .list();
    }

    static String swallowedText(String how) {
        return "It " + how
                + ". A dead process does nothing more, so this run shows nothing. Let Errors pass: catch Exception, not Throwable.";
    }

    /** All runs of one enqueued task. */
    private final class Series {
        private final TaskId id;
        private final DatabaseSnapshot enqueued;
        private final String type;

        Series(TaskId id, DatabaseSnapshot enqueued) {
            this.id = id;
            this.enqueued = enqueued;
            this.type = here.find(id).type();
        }

        CrashReport run() {
            startAfresh();
            Life undisturbed = life(Life.Fate.NONE, -1, () -> {});
            here.runToEnd(id, undisturbed);
            EndState expected = endOfUndisturbedRun();
            startAfresh();
            here.runToEnd(id);
            List<String> differences = endOfUndisturbedRun().differencesFrom(expected);
            if (!differences.isEmpty()) {
                throw new IllegalStateException("Two undisturbed runs of '" + type
                        + "' do not end the same, so nothing can be learned from crashes. Leave generated keys and times out of the end state, and clear fakes in reset(...).\n  "
                        + String.join("\n  ", differences));
            }
            List<PassedPoint> points = undisturbed.passed();
            if (points.size() > MAX_POINTS) {
                throw new IllegalStateException(
                        "The handler of '%s' passes %d points, and each is a run of its own: expected at most %d. Give it less to do."
                                .formatted(type, points.size(), MAX_POINTS));
            }
            List<CrashRun> runs = new ArrayList<>();
            for (int i = 0; i < points.size(); i++) {
                if (points.get(i).isForZombies()) {
                    runs.add(zombie(i, points.get(i), expected));
                }
                if (points.get(i).isDeadly()) {
                    runs.add(death(i, points.get(i), expected));
                }
            }
            return new CrashReport(type, runs);
        }

        private void startAfresh() {
            enqueued.restore();
            resets.forEach(Runnable::run);
        }

        private Life life(Life.Fate fate, int index, Runnable whilePaused) {
            return new Life(fate, (passed, point) -> passed == index, whilePaused, worker.errors());
        }

        private EndState endOfUndisturbedRun() {
            Task task = here.find(id);
            if (task.status() != TaskStatus.COMPLETED) {
                throw new IllegalStateException(
                        "Expected an undisturbed run to complete '%s', but it is %s. Last error: %s"
                                .formatted(type, task.status(), task.lastError()));
            }
            return EndState.read(sources);
        }

        private CrashRun death(int index, PassedPoint point, EndState expected) {
            startAfresh();
            Life life = life(Life.Fate.DEATH, index, () -> {});
            here.runToEnd(id, life);
            String otherWay = otherWay(life, point);
            if (otherWay != null) {
                return new CrashRun(Fate.DEATH, point.toString(), Verdict.OTHER_WAY, List.of(otherWay));
            }
            String swallowed = life.swallowed();
            if (swallowed != null) {
                return new CrashRun(
                        Fate.DEATH, point.toString(), Verdict.DEATH_CAUGHT, List.of(swallowedText(swallowed)));
            }
            here.takeBackFromTheDead(id);
            elsewhere.runToEnd(id);
            return judged(Fate.DEATH, point, expected, Verdict.SAME_END);
        }

        private CrashRun zombie(int index, PassedPoint point, EndState expected) {
            startAfresh();
            Takeover takeover = new Takeover(here, elsewhere, database, id);
            Life life = life(Life.Fate.ZOMBIE, index, takeover::run);
            takeover.whileFrozen(life);
            here.runToEnd(id, life);
            String otherWay = otherWay(life, point);
            if (otherWay != null) {
                return new CrashRun(Fate.ZOMBIE, point.toString(), Verdict.OTHER_WAY, List.of(otherWay));
            }
            boolean taken = takeover.finish();
            if (!taken) {
                here.runToEnd(id);
            }
            return judged(Fate.ZOMBIE, point, expected, taken ? Verdict.SAME_END : Verdict.PROTECTED);
        }

        private CrashRun judged(Fate fate, PassedPoint point, EndState expected, Verdict ifSame) {
            if (here.find(id).status() == TaskStatus.HELD) {
                return new CrashRun(fate, point.toString(), Verdict.HELD, List.of());
            }
            List<String> differences = EndState.read(sources).differencesFrom(expected);
            return new CrashRun(
                    fate, point.toString(), differences.isEmpty() ? ifSame : Verdict.DIFFERENT_END, differences);
        }

        private @Nullable String otherWay(Life life, PassedPoint point) {
            PassedPoint met = life.metFate();
            if (met != null && met.isSameAs(point)) {
                return null;
            }
            return met == null
                    ? "In this run it did not come this far. Make its order of steps the same in every run."
                    : "In this run it was " + met + " instead. Make its order of steps the same in every run.";
        }
    }
}
