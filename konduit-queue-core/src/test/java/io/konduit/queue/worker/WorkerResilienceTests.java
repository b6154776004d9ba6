package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.konduit.queue.FaultyDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.thread.QueueThreads;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** What must not stop a worker: errors in the middle of a step, locked evidence, large payloads, large numbers. */
@Timeout(120)
class WorkerResilienceTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Jobs {
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final AtomicInteger started = new AtomicInteger();
        final AtomicInteger quick = new AtomicInteger();
        final AtomicInteger payments = new AtomicInteger();
        final AtomicInteger suspects = new AtomicInteger();

        @JobHandler("long")
        void longer() throws InterruptedException {
            started.incrementAndGet();
            mayEnd.await(100, TimeUnit.SECONDS);
        }

        @JobHandler("quick")
        void quick() {
            quick.incrementAndGet();
        }

        @JobHandler("steady")
        void steady() throws InterruptedException {
            started.incrementAndGet();
            mayEnd.await(ThreadLocalRandom.current().nextInt(4_500, 9_000), TimeUnit.MILLISECONDS);
        }

        @JobHandler("suspect")
        void suspect() {
            suspects.incrementAndGet();
        }

        /** Somebody wants no limit and says so with a large one. */
        @JobHandler(value = "unlimited", timeout = "999999d")
        void unlimited() {}

        @JobHandler(value = "pay", reapable = false, timeout = "1s")
        void pay() throws InterruptedException {
            payments.incrementAndGet();
            mayEnd.await(100, TimeUnit.SECONDS);
        }
    }

    private final Jobs jobs = new Jobs();
    private final TaskQueue queue = harness.queue();

    @AfterEach
    void letHandlersEnd() {
        jobs.mayEnd.countDown();
    }

    private static long count(String sql) {
        return harness.count("select count(*) from " + sql);
    }

    private static void execute(String... statements) {
        harness.testDatabase().execute(statements);
    }

    /** A lock on one incident row stops the completions of all tasks. */
    @Test
    void lockedIncidentRowDelaysNobodyButItsTask() throws Exception {
        QueueFixture recovery = new QueueFixture(harness.database());
        TaskId recovered = queue.enqueue("long", null);
        long id = harness.claimOne(harness.newWorker()).id();
        harness.expireLease(id, Duration.ofSeconds(1));
        assertThat(recovery.reclaimer().reclaimOnce().reclaimed()).isEqualTo(1);
        harness.makeDue(id);
        harness.startWorker(With.concurrency(4), jobs);
        await().until(() -> jobs.started.get() == 1);
        try (Connection other = harness.testDatabase()
                .locking("select 1 from konduit_task_incident where task_id = " + recovered + " for update")) {
            jobs.mayEnd.countDown();
            queue.enqueueAll(IntStream.range(0, 500)
                    .mapToObj(i -> TaskRequest.of("quick", i))
                    .toList());
            try {
                await().atMost(Duration.ofSeconds(30))
                        .untilAsserted(() -> assertThat(count("konduit_task_history where type = 'quick'"))
                                .as("completed of %s that ran", jobs.quick)
                                .isEqualTo(500));
            } finally {
                other.rollback();
            }
        }
    }

    /** After one large payload, a slot group claims nothing while the worker holds any other lease. */
    @Test
    void largePayloadDoesNotStopItsGroupBehindALongRunOfAnother() {
        List<String> queues = IntStream.range(0, 16).mapToObj(i -> "q" + i).toList();
        Map<String, Integer> slots = queues.stream().collect(Collectors.toMap(each -> each, each -> 1));
        harness.startWorker(With.all(With.queues(queues.toArray(String[]::new)), With.queueConcurrency(slots)), jobs);
        queue.enqueue(TaskRequest.of("long", null).queue("q2"));
        await().until(() -> jobs.started.get() == 1);
        execute("insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                + " values ('q1', 'quick', to_jsonb(repeat('x', 10000000)), 2, 'PENDING', now(), now())");
        await().until(() -> count("konduit_task_history") == 1);
        TaskId next = queue.enqueue(TaskRequest.of("quick", null).queue("q1"));
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(harness.status(next)).isEqualTo("COMPLETED"));
    }

    /** A3: a claim that fails between two of its tasks: the first one runs, and is given back once it is left to the reaper. */
    @Test
    void taskThatMustNotRunTwiceIsNotGivenBackAfterItsClaimFailedInTheMiddle() {
        TaskId pay = queue.enqueue("pay", null);
        queue.enqueue("unlimited", null);
        harness.startWorker(With.concurrency(4), jobs);
        await().until(() -> jobs.payments.get() == 1);
        await().pollDelay(Duration.ofSeconds(6)).atMost(Duration.ofSeconds(8)).untilAsserted(() -> assertThat(
                        jobs.payments)
                .as("runs of a task that must not run twice; it is %s", harness.status(pay))
                .hasValue(1));
    }

    /** One task whose limit is too large for nanoseconds stops its slot group forever. */
    @Test
    void taskThatCannotBeAcceptedStopsNobodyElse() {
        queue.enqueue("unlimited", null);
        TaskId other = queue.enqueue("quick", null);
        harness.startWorker(With.concurrency(4), jobs);
        await().atMost(Duration.ofSeconds(15))
                .untilAsserted(() -> assertThat(harness.status(other)).isEqualTo("COMPLETED"));
    }

    /** "For ever" is a usual way to ask for retries; such a task cannot be given back, nor can those with it. */
    @Test
    void taskWithTheMostAttemptsCanBeGivenBack() {
        TaskId plain = queue.enqueue("long", null);
        TaskId forEver = queue.enqueue(TaskRequest.of("long", null).maxAttempts(Integer.MAX_VALUE));
        WorkerLifecycle worker =
                harness.startWorker(With.all(With.concurrency(4), With.drainTimeout(Duration.ZERO)), jobs);
        await().until(() -> jobs.started.get() == 2);
        worker.stop();
        assertThat(Stream.of(plain, forEver).map(harness::status)).containsExactly("PENDING", "PENDING");
    }

    /** A3 at shutdown: the claim is carried out after the worker has stopped, for nobody. */
    @Test
    void claimThatIsUnderWayWhenTheWorkerStopsIsNotForgotten() throws Exception {
        TaskId id = queue.enqueue(TaskRequest.of("quick", null).reapable(false));
        CompletableFuture<Void> stopped;
        try (Connection other = harness.testDatabase().locking("lock table konduit_task in share mode")) {
            WorkerLifecycle worker = harness.startWorker(With.concurrency(4), jobs);
            await().until(() ->
                    count("pg_stat_activity where wait_event_type = 'Lock' and query like '%found as mat%'") > 0);
            stopped = CompletableFuture.runAsync(worker::stop);
            stopped.get(20, TimeUnit.SECONDS);
            other.rollback();
        }
        await().pollDelay(Duration.ofSeconds(2)).untilAsserted(() -> assertThat(harness.status(id))
                .as("runs: %s", jobs.quick)
                .isEqualTo("PENDING"));
    }

    /** Each row takes a while, as those of many megabytes do: sixteen of them take longer than a statement may. */
    @Test
    void claimThatIsCancelledByItsTimeoutIsTriedAgainWithFewerTasks() {
        execute(
                "create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.15); return new; end'",
                "create trigger slow before update on konduit_task for each row"
                        + " when (new.status = 'RUNNING' and old.status = 'PENDING') execute function slow()");
        try (ControlPool pool = new ControlPool(harness.testDatabase().dataSource(), 4, Duration.ofSeconds(2))) {
            List<TaskId> ids = IntStream.range(0, 16)
                    .mapToObj(i -> queue.enqueue("quick", null))
                    .toList();
            harness.startWorker(
                    new QueueDatabase(harness.testDatabase().dataSource(), pool, null),
                    With.concurrency(16),
                    QueueHarness.quickRetries(),
                    jobs);
            await().atMost(Duration.ofSeconds(40))
                    .untilAsserted(
                            () -> assertThat(ids).extracting(harness::status).containsOnly("COMPLETED"));
            assertThat(harness.count("select max(lease_epoch) from konduit_task_history"))
                    .as("what was cancelled left no trace")
                    .isEqualTo(1);
            harness.stopWorkers();
        } finally {
            execute("drop trigger slow on konduit_task", "drop function slow()");
        }
    }

    /** There is no memory for the message either. */
    @Test
    void leaseOfAnOutcomeThatWasDroppedIsLetGoAlsoWhenThereIsNoMemoryToSaySo() {
        FaultyDataSource connections =
                new FaultyDataSource(harness.testDatabase().dataSource());
        QueueDatabase database = QueueFixture.databaseOn(connections);
        ActiveLeases active = new ActiveLeases();
        LeaseRepository leases =
                new LeaseRepository(database, harness.newWorker().worker());
        queue.enqueue("quick", null);
        RunningTask run = new RunningTask(harness.claimOne(leases), Duration.ZERO, System.nanoTime());
        active.add(run);
        Completer completer = Completers.of(harness, database, leases, active, QueueMonitor.NONE);
        AtomicBoolean full = new AtomicBoolean(true);
        connections.breakStatements(sql -> {
            if (full.get()) {
                throw new OutOfMemoryError("of the test");
            }
            return false;
        });
        try (FailingLog log = new FailingLog(QueueThreads.class, full)) {
            Thread thread = QueueThreads.start("completer", completer::run);
            completer.report(new Outcome.Completed(run));
            await().until(() -> log.met.get() > 0);
            full.set(false);
            await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertThat(active.all())
                    .as("leases that are extended forever for outcomes that never come")
                    .isEmpty());
            thread.interrupt();
        }
    }

    /** If as many outcomes as slots are lost this way, the slot group sleeps forever while health reports UP. */
    @Test
    void slotGroupContinuesAfterTheCompleterRanOutOfMemory() {
        FaultyDataSource connections =
                new FaultyDataSource(harness.testDatabase().dataSource());
        AtomicBoolean full = new AtomicBoolean(true);
        connections.breakStatements(sql -> {
            if (full.get() && sql.contains("insert into konduit_task_history")) {
                throw new OutOfMemoryError("of the test");
            }
            return false;
        });
        try (FailingLog log = new FailingLog(QueueThreads.class, full)) {
            WorkerLifecycle worker = harness.startWorker(
                    QueueFixture.databaseOn(connections), With.concurrency(4), QueueHarness.quickRetries(), jobs);
            queue.enqueueAll(IntStream.range(0, 20)
                    .mapToObj(i -> TaskRequest.of("quick", i))
                    .toList());
            await().until(() -> log.met.get() >= 1 && jobs.quick.get() >= 4);
            await().during(Duration.ofMillis(500)).until(() -> true);
            full.set(false);
            int before = jobs.quick.get();
            List<TaskId> later = queue.enqueueAll(IntStream.range(0, 20)
                    .mapToObj(i -> TaskRequest.of("quick", i))
                    .toList());
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(later.stream()
                            .map(harness::status)
                            .filter("COMPLETED"::equals)
                            .count())
                    .as(
                            "ran %s before and %s after; loops well: %s",
                            before,
                            jobs.quick.get() - before,
                            worker.loops().stream().allMatch(LoopState::isWell))
                    .isEqualTo(20));
        }
    }

    /** An error between "this worker holds it" and "it waits for a slot": extended forever, run by nobody. */
    @Test
    void taskIsNotKeptForEverWhenItsClaimFailsInTheMiddleOfAcceptingIt() {
        TaskId id = queue.enqueue("long", null);
        AtomicBoolean full = new AtomicBoolean();
        try (FailingLog log = new FailingLog(ActiveLeases.class, full)) {
            harness.startWorker(With.all(With.concurrency(4), With.lockTimeout(Duration.ofSeconds(3))), jobs);
            await().until(() -> jobs.started.get() == 1);
            full.set(true);
            // somebody takes it away and the same worker claims it again
            execute(
                    "set session_replication_role = replica",
                    "update konduit_task set status = 'PENDING', locked_by = null, locked_at = null,"
                            + " lock_timeout_at = null, zombie_count = 1, run_at = now() where id = " + id);
            await().until(() -> log.met.get() > 0);
            full.set(false);
            QueueFixture recovery = new QueueFixture(harness.database());
            await().atMost(Duration.ofSeconds(15)).untilAsserted(() -> {
                recovery.reclaimer().reclaimOnce();
                assertThat(jobs.started)
                        .as("runs; the task is %s, lease %s", harness.status(id), lease(id))
                        .hasValue(2);
            });
        }
    }

    private static String lease(TaskId id) {
        return harness.jdbc()
                .sql(
                        "select coalesce(lease_epoch || ' ends in ' || (lock_timeout_at - now()), 'none') from konduit_task where id = "
                                + id)
                .query(String.class)
                .optional()
                .orElse("gone");
    }

    private static final class FailingLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
        private final ch.qos.logback.classic.Logger logger;
        private final AtomicBoolean full;
        final AtomicInteger met = new AtomicInteger();

        FailingLog(Class<?> of, AtomicBoolean full) {
            this.logger = (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(of);
            this.full = full;
            setContext(logger.getLoggerContext());
            start();
            logger.addAppender(this);
        }

        @Override
        public synchronized void doAppend(ILoggingEvent event) {
            if (full.get()) {
                met.incrementAndGet();
                throw new OutOfMemoryError("of the test");
            }
        }

        @Override
        protected void append(ILoggingEvent event) {}

        @Override
        public void close() {
            logger.detachAppender(this);
        }
    }
}
