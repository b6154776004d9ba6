package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.Priority;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.thread.QueueThreads;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("S8")
class GracefulStopTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    /** Runs until it is let go or interrupted. */
    static class Work {
        final CountDownLatch release = new CountDownLatch(1);
        final AtomicInteger started = new AtomicInteger();
        final AtomicInteger interrupted = new AtomicInteger();
        final AtomicBoolean suspectRan = new AtomicBoolean();

        @JobHandler("block")
        void block() throws InterruptedException {
            started.incrementAndGet();
            await(release);
        }

        @JobHandler(value = "block-once", reapable = false)
        void blockOnce() throws InterruptedException {
            block();
        }

        @JobHandler(value = "block-in-transaction", transactional = true)
        void blockInTransaction(TaskContext task) throws InterruptedException {
            task.checkpoint("holds the row");
            block();
        }

        /** Ignores being interrupted. */
        @JobHandler("stubborn")
        void stubborn() {
            started.incrementAndGet();
            boolean done = false;
            while (!done) {
                try {
                    done = release.await(60, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                }
            }
        }

        @JobHandler("quick")
        void quick() {}

        @JobHandler("suspect")
        void suspect() {
            suspectRan.set(true);
        }

        private void await(CountDownLatch latch) throws InterruptedException {
            try {
                latch.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            }
        }
    }

    private final Work work = new Work();
    private final TaskQueue queue = harness.queue(work);

    @AfterEach
    void letGo() {
        work.release.countDown();
    }

    private static long count(String table) {
        return harness.count("select count(*) from " + table);
    }

    @Test
    @Tag("H1")
    void runningHandlerFinishesAndTheWorkerLeavesTheRegistry() throws Exception {
        WorkerLifecycle worker = harness.startWorker(work);
        TaskId id = queue.enqueue("block", null);
        await().until(() -> work.started.get() == 1);
        assertThat(count("konduit_worker")).isEqualTo(1);
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(worker::stop);
        TaskId late = queue.enqueue("quick", null);
        work.release.countDown();
        stopping.get(30, TimeUnit.SECONDS);
        assertThat(harness.status(id)).isEqualTo("COMPLETED");
        assertThat(work.interrupted).hasValue(0);
        assertThat(count("konduit_worker")).isZero();
        assertThat(worker.isRunning()).isFalse();
        // nothing was claimed any more
        assertThat(harness.status(late)).isIn("PENDING", "COMPLETED");
        TaskId later = queue.enqueue("quick", null);
        assertThat(harness.status(later)).isEqualTo("PENDING");
    }

    @Test
    void whatWasClaimedAndNotStartedIsGivenBackUncharged() throws Exception {
        WorkerLifecycle worker = harness.startWorker(With.concurrency(1), work);
        // quick runs teach the worker to claim ahead
        queue.enqueueAll(IntStream.range(0, 100)
                .mapToObj(i -> TaskRequest.of("quick", null))
                .toList());
        await().until(() -> count("konduit_task_history") == 100);
        List<TaskRequest> requests = new ArrayList<>();
        requests.add(TaskRequest.of("block", null).priority(Priority.HIGH));
        IntStream.range(0, 5).forEach(i -> requests.add(TaskRequest.of("quick", null)));
        List<TaskId> ids = queue.enqueueAll(requests);
        await().until(() ->
                work.started.get() == 1 && harness.count("select count(*) from konduit_task where attempts > 0") == 6);
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(worker::stop);
        await().untilAsserted(() ->
                assertThat(ids.subList(1, 6).stream().map(harness::status)).containsOnly("PENDING"));
        work.release.countDown();
        stopping.get(30, TimeUnit.SECONDS);
        assertThat(harness.status(ids.get(0))).isEqualTo("COMPLETED");
        assertThat(ids.subList(1, 6))
                .allSatisfy(id -> assertThat(harness.attemptsLeft(id)).isEqualTo(3));
    }

    @Test
    void handlerThatIsLateAtStopIsInterruptedAndItsTaskGivenBackUncharged() {
        WorkerLifecycle worker = harness.startWorker(With.drainTimeout(Duration.ofMillis(100)), work);
        List<TaskId> ids = queue.enqueueAll(List.of(
                TaskRequest.of("block", null), TaskRequest.of("block", null), TaskRequest.of("stubborn", null)));
        await().until(() -> work.started.get() == 3);
        worker.stop();
        assertThat(ids).allSatisfy(id -> {
            assertThat(harness.status(id)).isEqualTo("PENDING");
            assertThat(harness.attemptsLeft(id)).isEqualTo(3);
        });
        await().until(() -> work.interrupted.get() == 3);
        assertThat(harness.events()).isEmpty();

        // another worker has them at once, and whatever the stubborn one still does changes nothing
        Work elsewhere = new Work();
        elsewhere.release.countDown();
        harness.startWorker(elsewhere);
        await().untilAsserted(
                        () -> assertThat(ids.stream().map(harness::status)).containsOnly("COMPLETED"));
        work.release.countDown();
    }

    @Test
    @Tag("L13")
    void begunTaskThatMustNotRunTwiceIsLeftToTheReaper() {
        WorkerLifecycle worker = harness.startWorker(With.drainTimeout(Duration.ofMillis(100)), work);
        TaskId id = queue.enqueue("block-once", null);
        await().until(() -> work.started.get() == 1);
        worker.stop();
        assertThat(harness.status(id)).isEqualTo("RUNNING");
        harness.expireLease(id.value(), Duration.ofSeconds(1));
        new QueueFixture(harness.database()).reclaimer().reclaimOnce();
        assertThat(harness.status(id)).isEqualTo("HELD");
    }

    /** Its transaction has the row locked: it must be interrupted before the row can be given back. */
    @Test
    void handlerThatHoldsItsOwnRowKeepsNobodyWaiting() {
        WorkerLifecycle worker = harness.startWorker(With.drainTimeout(Duration.ofMillis(100)), work);
        TaskId holding = queue.enqueue("block-in-transaction", null);
        TaskId other = queue.enqueue("block", null);
        await().until(() -> work.started.get() == 2);
        worker.stop();
        assertThat(List.of(harness.status(holding), harness.status(other))).containsOnly("PENDING");
        assertThat(List.of(harness.attemptsLeft(holding), harness.attemptsLeft(other)))
                .containsOnly(3);
    }

    /** A suspect waits until it is alone; when the time is over it is given back and never run by this worker. */
    @Test
    @Tag("L18")
    void suspectThatWaitsForItsTurnIsGivenBackAndNotRunAfterTheStop() {
        TaskId suspect = queue.enqueue("suspect", null);
        QueueFixture recovery = new QueueFixture(harness.database());
        for (int i = 0; i < 2; i++) {
            ClaimedTask claimed = harness.claimOne(harness.newWorker());
            harness.expireLease(claimed.id(), Duration.ofSeconds(1));
            recovery.reclaimer().reclaimOnce();
            harness.makeDue(claimed.id());
        }
        harness.jdbc()
                .sql("update konduit_task set run_at = clock_timestamp() + interval '1 h' where id = :id")
                .param("id", suspect.value())
                .update();
        WorkerLifecycle worker = harness.startWorker(With.drainTimeout(Duration.ofMillis(300)), work);
        TaskId block = queue.enqueue("block", null);
        await().until(() -> work.started.get() == 1);
        harness.makeDue(suspect.value());
        await().until(() -> harness.status(suspect).equals("RUNNING"));
        int left = harness.attemptsLeft(suspect);
        worker.stop();
        assertThat(List.of(harness.status(block), harness.status(suspect))).containsOnly("PENDING");
        assertThat(harness.attemptsLeft(suspect)).isEqualTo(left + 1);
        await().until(() -> work.interrupted.get() == 1);
        assertThat(work.suspectRan).isFalse();
    }

    /** The claim waits in the database while the worker stops, and brings its tasks afterwards. */
    @Test
    @Timeout(60)
    void whatAClaimBringsAfterTheStopHasBegunIsGivenBackUncharged() throws Exception {
        List<TaskId> ids;
        CompletableFuture<Void> stopping;
        WorkerLifecycle worker;
        try (Connection other = harness.testDatabase().connect();
                Statement lock = other.createStatement()) {
            ids = queue.enqueueAll(List.of(TaskRequest.of("quick", null), TaskRequest.of("block", null)));
            other.setAutoCommit(false);
            lock.execute("lock table konduit_task in access exclusive mode");
            worker = harness.startWorker(work);
            await().until(() -> harness.jdbc()
                            .sql(
                                    "select count(*) from pg_stat_activity where datname = :name and wait_event_type = 'Lock'"
                                            + " and query like '%T2%'")
                            .param("name", harness.testDatabase().name())
                            .query(Long.class)
                            .single()
                    == 1);
            stopping = CompletableFuture.runAsync(worker::stop);
            await().until(GracefulStopTests::isWaitingForThreads);
            other.commit();
        }
        stopping.get(30, TimeUnit.SECONDS);
        assertThat(work.started).hasValue(0);
        assertThat(ids).allSatisfy(id -> {
            assertThat(harness.status(id)).isEqualTo("PENDING");
            assertThat(harness.attemptsLeft(id)).isEqualTo(3);
        });
    }

    private static boolean isWaitingForThreads() {
        return Thread.getAllStackTraces().values().stream().anyMatch(stack -> Arrays.stream(stack)
                .anyMatch(frame -> frame.getClassName().equals(QueueThreads.class.getName())
                        && frame.getMethodName().equals("join")));
    }

    /** A network that swallows everything: each statement waits for as long as the pool lets it, here a minute. */
    @Test
    @Timeout(120)
    void stopEndsWithinItsBudgetAlsoWhenTheDatabaseIsSilent() throws Exception {
        Matcher address = Pattern.compile("//([^:/]+):(\\d+)/")
                .matcher(harness.testDatabase().jdbcUrl());
        assertThat(address.find()).isTrue();
        try (SilentNetwork network = new SilentNetwork(address.group(1), Integer.parseInt(address.group(2)));
                HikariDataSource application = harness.testDatabase().newPool(2)) {
            application.setJdbcUrl(address.replaceFirst("//localhost:" + network.port() + "/"));
            try (ControlPool pool = new ControlPool(application, 4, Duration.ofMinutes(1))) {
                WorkerLifecycle worker = harness.startWorker(
                        new QueueDatabase(application, pool, null),
                        With.all(With.drainTimeout(Duration.ofMillis(100)), With.lockTimeout(Duration.ofSeconds(3))),
                        QueueHarness.quickRetries(),
                        work);
                queue.enqueue("stubborn", null);
                await().until(() -> work.started.get() == 1);
                network.silenceAll();
                CompletableFuture<Void> stopping = CompletableFuture.runAsync(worker::stop);
                // its time is a heartbeat of 1 s and 5 s for the last writes
                stopping.get(20, TimeUnit.SECONDS);
                assertThat(work.interrupted).hasPositiveValue();
            }
        }
    }

    @Test
    void stoppedWorkerCanBeStartedAgain() {
        WorkerLifecycle worker = harness.startWorker(work);
        worker.stop();
        worker.stop();
        TaskId id = queue.enqueue("quick", null);
        worker.start();
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
    }
}
