package io.konduit.queue;

import static org.awaitility.Awaitility.await;

import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Two sessions on one database, for races: what one did stays uncommitted while the other acts. The order is decided by
 * locks, never by time.
 */
public final class TwoSessions {
    private final TestDatabase database;
    private final QueueDatabase first;
    private final QueueDatabase second;

    /** How the transaction of the first session ends. */
    public enum End {
        COMMIT,
        ROLLBACK
    }

    public TwoSessions(QueueHarness harness) {
        this.database = harness.testDatabase();
        this.first = QueueFixture.databaseOn(database.newPool(4));
        this.second = QueueFixture.databaseOn(database.newPool(4));
    }

    /** The queue as the session that goes first sees it. */
    public QueueDatabase first() {
        return first;
    }

    public QueueDatabase second() {
        return second;
    }

    /** Does something on the first session's control path, and something else before that is committed. */
    public <T> T whileOpen(Runnable step, Supplier<T> meanwhile) {
        return open(first.control(), End.COMMIT, step, meanwhile);
    }

    public <T> T whileOpen(End end, Runnable step, Supplier<T> meanwhile) {
        return open(first.control(), end, step, meanwhile);
    }

    /** As {@link #whileOpen}, in a transaction of the application. */
    public <T> T whileApplicationIsOpen(End end, Runnable step, Supplier<T> meanwhile) {
        return open(first.application(), end, step, meanwhile);
    }

    private static <T> T open(DataSource source, End end, Runnable step, Supplier<T> meanwhile) {
        return new TransactionTemplate(new DataSourceTransactionManager(source)).execute(status -> {
            step.run();
            T result = meanwhile.get();
            if (end == End.ROLLBACK) {
                status.setRollbackOnly();
            }
            return result;
        });
    }

    /** Starts something on another thread and returns when it waits for a lock. */
    public <T> Waiting<T> waits(Callable<T> step) {
        long alreadyWaiting = waitingSessions();
        CompletableFuture<T> result = CompletableFuture.supplyAsync(() -> {
            try {
                return step.call();
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        });
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> {
                    if (result.isDone()) {
                        throw new AssertionError("Expected it to wait for a lock, but it ended with " + result);
                    }
                    return waitingSessions() > alreadyWaiting;
                });
        return new Waiting<>(result);
    }

    /** Something that waited for a lock. */
    public record Waiting<T>(CompletableFuture<T> future) {
        /** What came of it once it had the lock. */
        public T result() {
            try {
                return future.get(30, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError("It did not end well: " + e, e);
            }
        }
    }

    private long waitingSessions() {
        return JdbcClient.create(database.dataSource())
                .sql("select count(*) from pg_stat_activity where datname = :name and wait_event_type = 'Lock'")
                .param("name", database.name())
                .query(Long.class)
                .single();
    }
}
