package io.konduit.queue.testing;

import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskSnoozedError;
import io.konduit.queue.error.ErrorTexts;
import io.konduit.queue.handler.JobHandlerMethod;
import io.konduit.queue.handler.PayloadConverter;
import io.konduit.queue.worker.HandlerCall;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a task in one worker, until it dies or turns into a zombie. It sees every point that they pass.
 *
 * <p>A death is real in effect: the transactions are rolled back, the sessions are closed, and whatever the handler still
 * tries in the database, in any thread, is refused. Code that touches no database, such as a {@code finally} block, runs.
 */
final class Life implements HandlerCall {
    private static final int LONGEST_SQL = 60;

    /** What happens at the chosen point. */
    enum Fate {
        /** Nothing: the points are counted. */
        NONE,
        DEATH,
        ZOMBIE
    }

    private final Fate fate;
    private final BiPredicate<Integer, PassedPoint> chosen;
    private final Runnable whilePaused;
    private final ErrorTexts errors;
    private final List<PassedPoint> passed = new ArrayList<>();
    private final Set<WatchedConnection> open = new LinkedHashSet<>();
    private final ThreadLocal<@Nullable Boolean> commitAnnounced = new ThreadLocal<>();
    private final ThreadLocal<@Nullable Boolean> inCheckpoint = new ThreadLocal<>();
    private int commits;
    private int checkpoints;
    private int runs;
    private @Nullable PassedPoint metFate;
    private volatile boolean dead;
    private volatile @Nullable Thread diedOn;
    private volatile @Nullable String swallowed;

    /**
     * @param chosen whether the fate strikes at this point, given how many points were passed before
     * @param whilePaused what happens elsewhere while a zombie is frozen
     */
    Life(Fate fate, BiPredicate<Integer, PassedPoint> chosen, Runnable whilePaused, ErrorTexts errors) {
        this.fate = fate;
        this.chosen = chosen;
        this.whilePaused = whilePaused;
        this.errors = errors;
    }

    @Override
    public void invoke(JobHandlerMethod handler, String payload, PayloadConverter converter, TaskContext context)
            throws Throwable {
        runs++;
        pass(PassedPoint.Kind.START, false, runs, "", null);
        Throwable thrown = null;
        try {
            handler.invoke(payload, converter, new WatchedContext(context, this));
        } catch (Throwable error) {
            thrown = error;
        }
        if (dead) {
            if (diedOn == Thread.currentThread() && !SimulatedDeath.isBehind(thrown)) {
                swallowed = thrown == null
                        ? "returned as if nothing had happened"
                        : "threw " + thrown.getClass().getName();
            }
            throw death();
        }
        pass(PassedPoint.Kind.END, false, runs, nameOf(thrown), null);
        if (thrown != null) {
            throw thrown;
        }
    }

    private static String nameOf(@Nullable Throwable thrown) {
        return thrown == null
                ? PassedPoint.COMPLETION
                : TaskSnoozedError.behind(thrown).isPresent() ? "snooze" : "failure";
    }

    @Override
    public boolean hasDied() {
        return dead;
    }

    /** The point where the fate has struck; null when it has not. */
    synchronized @Nullable PassedPoint metFate() {
        return metFate;
    }

    /** How the handler ended although it had died; null unless it caught the death. */
    @Nullable
    String swallowed() {
        return swallowed;
    }

    synchronized List<PassedPoint> passed() {
        return List.copyOf(passed);
    }

    void reached(String name) {
        requireAlive();
        int number;
        synchronized (this) {
            number = 1
                    + (int) passed.stream()
                            .filter(point -> point.kind() == PassedPoint.Kind.NAMED
                                    && point.name().equals(name))
                            .count();
        }
        pass(PassedPoint.Kind.NAMED, false, number, name, null);
    }

    /** Spring is about to commit: the lease is checked after this. */
    void announceCommit() {
        beforeCommit(null);
        commitAnnounced.set(true);
    }

    void beforeCommit(@Nullable String sql) {
        requireAlive();
        if (commitAnnounced.get() == null && inCheckpoint.get() == null) {
            pass(PassedPoint.Kind.COMMIT, true, commits + 1, "", sql);
        }
    }

    void committed(@Nullable String sql) {
        commitAnnounced.remove();
        if (inCheckpoint.get() != null) {
            return;
        }
        int number;
        synchronized (this) {
            number = ++commits;
        }
        pass(PassedPoint.Kind.COMMIT, false, number, "", sql);
    }

    /** The announced transaction has ended, in whatever way. */
    void commitOver() {
        commitAnnounced.remove();
    }

    void checkpoint(Runnable write) {
        requireAlive();
        int number;
        synchronized (this) {
            number = ++checkpoints;
        }
        pass(PassedPoint.Kind.CHECKPOINT, true, number, "", null);
        // outside a transaction its statement commits by itself, and is one point, not two
        inCheckpoint.set(true);
        try {
            write.run();
        } finally {
            inCheckpoint.remove();
        }
        pass(PassedPoint.Kind.CHECKPOINT, false, number, "", null);
    }

    void outcomeWritten(String name) {
        pass(PassedPoint.Kind.OUTCOME, false, runs, name, null);
    }

    synchronized void opened(WatchedConnection connection) {
        open.add(connection);
    }

    synchronized void closed(WatchedConnection connection) {
        open.remove(connection);
    }

    synchronized List<WatchedConnection> connections() {
        return List.copyOf(open);
    }

    boolean isDead() {
        return dead;
    }

    void requireAlive() {
        if (dead) {
            throw death();
        }
    }

    SimulatedDeath death() {
        PassedPoint point = metFate();
        return new SimulatedDeath(point == null ? "" : point.what());
    }

    private void pass(PassedPoint.Kind kind, boolean before, int number, String name, @Nullable String sql) {
        synchronized (this) {
            if (metFate != null) {
                return;
            }
            PassedPoint point = new PassedPoint(kind, before, number, name, kind.isInHandler() ? where(sql) : null);
            boolean strikes = fate != Fate.NONE && chosen.test(passed.size(), point);
            passed.add(point);
            if (!strikes) {
                return;
            }
            metFate = point;
            if (fate == Fate.DEATH) {
                diedOn = Thread.currentThread();
                dead = true;
            }
        }
        if (fate == Fate.ZOMBIE) {
            CrashGate.close(this);
            whilePaused.run();
            return;
        }
        connections().forEach(WatchedConnection::kill);
        throw death();
    }

    private @Nullable String where(@Nullable String sql) {
        StackTraceElement frame = errors.ofApplication(framesOfHandler());
        String line =
                frame == null || frame.getFileName() == null ? null : frame.getFileName() + ":" + frame.getLineNumber();
        String statement = sql == null ? null : shortened(sql);
        return statement == null ? line : line == null ? statement : statement + ", " + line;
    }

    private static String shortened(String sql) {
        String line = sql.strip().replaceAll("\\s+", " ");
        return line.length() <= LONGEST_SQL ? line : line.substring(0, LONGEST_SQL - 3) + "...";
    }

    /** From the innermost frame to the call of the handler, or to the beginning of a thread that the handler uses. */
    private static List<StackTraceElement> framesOfHandler() {
        List<StackTraceElement> frames = List.of(Thread.currentThread().getStackTrace());
        int call = 0;
        while (call < frames.size() && !isCallOfHandler(frames.get(call))) {
            call++;
        }
        return frames.subList(0, call).stream()
                .filter(frame -> !isOfTheKit(frame))
                .toList();
    }

    private static boolean isCallOfHandler(StackTraceElement frame) {
        return frame.getClassName().equals(Life.class.getName())
                && frame.getMethodName().equals("invoke");
    }

    private static boolean isOfTheKit(StackTraceElement frame) {
        String type = frame.getClassName();
        return type.substring(0, Math.max(0, type.lastIndexOf('.'))).equals(Life.class.getPackageName());
    }
}
