package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.With;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many idle workers and few tasks: each task wakes all of them, and all but one find nothing. */
@Timeout(120)
class HerdTests {
    private static final int WORKERS = 15;
    private static final int TASKS = 100;
    private static final Duration SPACING = Duration.ofMillis(40);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Counter {
        final Semaphore done = new Semaphore(0);

        @JobHandler("count")
        void count() {
            done.release();
        }
    }

    @Test
    void idleWorkersDoNotAllClaimForEachTask() throws InterruptedException {
        Counter counter = new Counter();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase());
                ControlPool pool = new ControlPool(counted.application(), 8, Duration.ofSeconds(10))) {
            QueueDatabase database = new QueueDatabase(counted.application(), pool, null);
            for (int i = 0; i < WORKERS; i++) {
                harness.startWorker(
                        database,
                        With.all(With.concurrency(1), With.pollInterval(Duration.ofSeconds(20))),
                        QueueHarness.quickRetries(),
                        counter);
            }
            await().until(() -> claims(counted) >= WORKERS);
            counted.journal().clear();
            TaskQueue queue = harness.queue();
            for (int i = 0; i < TASKS; i++) {
                // slowly enough for all of them to notice each
                await().pollDelay(SPACING).until(() -> true);
                queue.enqueue("count", null);
                assertThat(counter.done.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(claims(counted)).isBetween((long) TASKS, 6L * TASKS);
            harness.stopWorkers();
        }
    }

    /** A hundred instances, and a hundred tasks per second. */
    @Test
    void aHundredIdleWorkersMakeFewerThanThreeClaimsPerTask() throws InterruptedException {
        int tasks = 1_500;
        Counter counter = new Counter();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase());
                ControlPool pool = new ControlPool(counted.application(), 8, Duration.ofSeconds(10))) {
            QueueDatabase database = new QueueDatabase(counted.application(), pool, null);
            try {
                claimsOfAHundred(counted, database, counter, tasks);
            } finally {
                // they need the pool for that
                harness.stopWorkers();
            }
        }
    }

    private void claimsOfAHundred(CountedQueue counted, QueueDatabase database, Counter counter, int tasks)
            throws InterruptedException {
        for (int i = 0; i < 100; i++) {
            harness.startWorker(
                    database,
                    With.all(With.concurrency(1), With.pollInterval(Duration.ofSeconds(60))),
                    QueueHarness.quickRetries(),
                    counter);
        }
        await().atMost(Duration.ofSeconds(90)).until(() -> claims(counted) >= 100);
        // until each has come too late a few times, they all come
        perTask(counted, counter, tasks);
        double claims = perTask(counted, counter, tasks);
        for (int i = 0; i < 2 && claims >= 3; i++) {
            // a pause of the machine makes many tasks due at once, and many workers useful
            claims = perTask(counted, counter, tasks);
        }
        System.out.printf(
                "cost: 100 idle workers, 100 tasks per second: %.2f claims per task, pickup p50 %.1f ms%n",
                claims, pickupMillis());
        assertThat(claims).isLessThan(3);
    }

    /** How many claims are sent for each task of a hundred per second. */
    private static double perTask(CountedQueue counted, Counter counter, int tasks) throws InterruptedException {
        TaskQueue queue = harness.queue();
        counted.journal().clear();
        long begun = System.nanoTime();
        for (int i = 0; i < tasks; i++) {
            LockSupport.parkNanos(begun + i * 10_000_000L - System.nanoTime());
            queue.enqueue("count", null);
        }
        assertThat(counter.done.tryAcquire(tasks, 60, TimeUnit.SECONDS)).isTrue();
        return claims(counted) / (double) tasks;
    }

    private static double pickupMillis() {
        return harness.jdbc()
                .sql(
                        "select extract(epoch from percentile_cont(0.5) within group (order by locked_at - created_at)) * 1000"
                                + " from konduit_task_history")
                .query(Double.class)
                .single();
    }

    private static long claims(CountedQueue counted) {
        return counted.journal().statements().stream()
                .filter(sql -> sql.contains("T2, one statement"))
                .count();
    }
}
