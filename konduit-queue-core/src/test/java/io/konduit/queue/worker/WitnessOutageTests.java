package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TestSettings;
import io.konduit.queue.With;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.settings.WitnessSettings;
import io.konduit.queue.test.PrimaryAndStandby;
import io.konduit.queue.test.RestartablePostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * K4: servers that restart, fail over or stay away under workers with witnesses and the default settings. Each time all
 * witnesses end at once, and every worker is alive.
 */
@Tag("K4")
@Tag("X28")
@Tag("long")
@Timeout(600)
class WitnessOutageTests {
    private static final Duration GRACE = WitnessSettings.defaults().grace();
    /** A leader that concluded something from missing locks would have done so. */
    private static final Duration TIME_TO_CONCLUDE = GRACE.multipliedBy(3);

    private static final int TASKS = 20;

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Work work = new Work();
    private HikariDataSource pool;

    @AfterEach
    void closeAll() throws Exception {
        work.release.countDown();
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    /** Runs until it is released. Tells of a task that runs twice at the same time, on whichever worker. */
    private static final class Work {
        final CountDownLatch release = new CountDownLatch(1);
        final AtomicInteger runs = new AtomicInteger();
        final AtomicInteger interrupted = new AtomicInteger();
        final AtomicInteger doubled = new AtomicInteger();
        final Set<Long> running = ConcurrentHashMap.newKeySet();

        @JobHandler("work")
        void run(TaskContext task) throws InterruptedException {
            runs.incrementAndGet();
            if (!running.add(task.id().value())) {
                doubled.incrementAndGet();
            }
            try {
                release.await();
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            } finally {
                running.remove(task.id().value());
            }
        }
    }

    @Test
    void aRestartInterruptsNothingAndTakesNothing() throws Exception {
        RestartablePostgres server = restartable();
        startAll();
        for (int round = 0; round < 5; round++) {
            server.stop();
            server.restart();
            TimeUnit.NANOSECONDS.sleep(TIME_TO_CONCLUDE.toNanos());
        }
        tell("5 restarts");
        assertThat(work.interrupted).hasValue(0);
        assertThat(work.runs).hasValue(TASKS);
        assertEachCompletesUncharged();
    }

    /** Handlers are interrupted, since a worker cannot tell this from a partition. Nobody is charged for it. */
    @Test
    void anOutageLongerThanTheGraceChargesNobody() throws Exception {
        RestartablePostgres server = restartable();
        startAll();
        server.stop();
        TimeUnit.NANOSECONDS.sleep(GRACE.toNanos() * 2);
        int running = work.running.size();
        server.restart();
        tell("an outage of twice the grace");
        assertThat(running).isZero();
        assertThat(work.interrupted).hasValue(TASKS);
        await().atMost(Duration.ofSeconds(60)).until(() -> work.running.size() == TASKS);
        TimeUnit.NANOSECONDS.sleep(TIME_TO_CONCLUDE.toNanos());
        assertEachCompletesUncharged();
    }

    @Test
    void aFailoverTakesNothing() throws Exception {
        PrimaryAndStandby servers = PrimaryAndStandby.start();
        opened.add(servers);
        pool = servers.newPool(12);
        servers.waitForStandbyAtCommit();
        startAll();
        servers.failOver();
        pool.getHikariPoolMXBean().softEvictConnections();
        TimeUnit.NANOSECONDS.sleep(TIME_TO_CONCLUDE.toNanos());
        tell("a failover");
        await().atMost(Duration.ofSeconds(60)).until(() -> work.running.size() == TASKS);
        assertEachCompletesUncharged();
    }

    private void tell(String what) {
        System.out.printf(
                "%s: %d of %d handlers interrupted, %d tasks taken, %d run twice at once%n",
                what,
                work.interrupted.get(),
                TASKS,
                count("select count(*) from konduit_task_incident"),
                work.doubled.get());
    }

    private void assertEachCompletesUncharged() {
        work.release.countDown();
        await().atMost(Duration.ofSeconds(60)).until(() -> count("select count(*) from konduit_task") == 0);
        assertThat(count("select count(*) from konduit_task_history where status = 'COMPLETED'"
                        + " and attempts = 1 and zombie_count = 0"))
                .isEqualTo(TASKS);
        assertThat(count("select count(*) from konduit_task_incident")).isZero();
        assertThat(work.doubled).hasValue(0);
    }

    private RestartablePostgres restartable() {
        RestartablePostgres server = RestartablePostgres.start();
        opened.add(server);
        pool = new HikariDataSource();
        pool.setJdbcUrl(server.jdbcUrl());
        pool.setMaximumPoolSize(12);
        pool.setConnectionTimeout(5_000);
        return server;
    }

    /** A leader that runs nothing, and a worker that runs everything. */
    private void startAll() {
        opened.add(pool);
        new QueueSchemaMigrator(pool, null).migrate();
        start("elsewhere");
        await().until(() -> count("select count(*) from konduit_shedlock") == 1);
        QueueEngine worker = start("default", work);
        for (int i = 0; i < TASKS; i++) {
            worker.taskQueue().enqueue("work", null);
        }
        await().until(() -> work.running.size() == TASKS
                && count("select count(*) from konduit_worker where witness is not null") == 2);
    }

    private QueueEngine start(String queue, Object... handlers) {
        ControlPool control = new ControlPool(pool, 2, Duration.ofSeconds(5));
        opened.add(control);
        QueueEngine engine = QueueEngine.builder(
                        new QueueDatabase(pool, control, null),
                        TestSettings.defaults()
                                .worker(With.all(
                                        With.queues(queue),
                                        With.concurrency(TASKS),
                                        With.drainTimeout(Duration.ofMillis(500)))),
                        QueueFixture.registry(handlers))
                .identity(WorkerIdentity.create(queue))
                .build();
        engine.start();
        opened.add(engine::stop);
        return engine;
    }

    private long count(String sql) {
        return JdbcClient.create(pool).sql(sql).query(Long.class).single();
    }
}
