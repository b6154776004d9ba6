package io.konduit.queue.testing;

import io.konduit.queue.TaskId;
import io.konduit.queue.jdbc.QueueDatabase;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * While a worker is frozen, its task is taken back and runs in another worker, on another thread. That run may have to
 * wait for a lock of the frozen one: then the frozen one goes on, as it does in the end.
 */
final class Takeover implements Runnable {
    private static final Duration LOOK = Duration.ofMillis(10);
    /** For a wait that the server does not know of: a pool that is used up, or a lock in this JVM. */
    private static final Duration LONGEST_FREEZE = Duration.ofSeconds(10);

    private static final Duration LONGEST_RUN = Duration.ofMinutes(2);

    private final TaskDriver here;
    private final TaskDriver elsewhere;
    private final QueueDatabase database;
    private final TaskId id;
    private @Nullable Life frozen;
    private @Nullable CompletableFuture<Void> run;
    private @Nullable RuntimeException failure;

    Takeover(TaskDriver here, TaskDriver elsewhere, QueueDatabase database, TaskId id) {
        this.here = here;
        this.elsewhere = elsewhere;
        this.database = database;
        this.id = id;
    }

    void whileFrozen(Life life) {
        frozen = life;
    }

    /** Must not throw: it is called in the middle of a commit. */
    @Override
    public void run() {
        try {
            if (here.takeBack(id)) {
                CompletableFuture<Void> other = new CompletableFuture<>();
                Thread thread = new Thread(() -> runElsewhere(other), "konduit-test-elsewhere");
                thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
                thread.setDaemon(true);
                run = other;
                thread.start();
                awaitEndOrLock(other);
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    private void runElsewhere(CompletableFuture<Void> done) {
        try {
            elsewhere.runToEnd(id);
            done.complete(null);
        } catch (Throwable e) {
            done.completeExceptionally(e);
        }
    }

    private void awaitEndOrLock(CompletableFuture<Void> other) {
        long deadline = System.nanoTime() + LONGEST_FREEZE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            try {
                other.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException e) {
                if (frozenBlocksOthers()) {
                    return;
                }
            } catch (ExecutionException e) {
                return;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private boolean frozenBlocksOthers() {
        Life life = frozen;
        if (life == null) {
            return false;
        }
        int[] processes = life.connections().stream()
                .flatMapToInt(connection -> connection.serverProcess().stream())
                .toArray();
        if (processes.length == 0) {
            return false;
        }
        return JdbcClient.create(database.control())
                .sql(
                        "select exists (select from pg_stat_activity where pg_blocking_pids(pid) && cast(:frozen as int[]))")
                .param("frozen", Arrays.toString(processes).replace('[', '{').replace(']', '}'))
                .query(Boolean.class)
                .single();
    }

    /**
     * The zombie has ended: waits for the other run.
     *
     * @return false if the task could not be taken back
     */
    boolean finish() {
        if (failure != null) {
            throw failure;
        }
        CompletableFuture<Void> other = run;
        if (other == null) {
            return false;
        }
        try {
            other.orTimeout(LONGEST_RUN.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw new IllegalStateException("Task " + id + " could not be run by the other worker.", e.getCause());
        }
        return true;
    }
}
