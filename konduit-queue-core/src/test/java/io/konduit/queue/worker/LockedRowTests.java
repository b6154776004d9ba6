package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Somebody's lock delays what it locks and nothing else, and what cannot be written bounds what is begun. */
@Timeout(120)
class LockedRowTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final int SLOTS = 4;

    static class Jobs {
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final AtomicInteger started = new AtomicInteger();
        final AtomicInteger runs = new AtomicInteger();

        @JobHandler("completes")
        void completes() throws InterruptedException {
            started.incrementAndGet();
            mayEnd.await(60, TimeUnit.SECONDS);
        }

        @JobHandler("fails")
        void fails() throws InterruptedException {
            completes();
            throw new IllegalStateException("no");
        }

        @JobHandler("steady")
        void steady() {
            started.incrementAndGet();
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }

        @JobHandler("quick")
        void quick() {
            runs.incrementAndGet();
        }

        @JobHandler("quick-failure")
        void quickFailure() {
            throw new IllegalStateException("no");
        }
    }

    private final Jobs jobs = new Jobs();
    private final TaskQueue queue = harness.queue(jobs);

    @AfterEach
    void letHandlersEnd() {
        jobs.mayEnd.countDown();
    }

    private void enqueue(String type, int count) {
        queue.enqueueAll(IntStream.range(0, count)
                .mapToObj(i -> TaskRequest.of(type, i).maxAttempts(1))
                .toList());
    }

    private static long count(String sql) {
        return harness.count("select count(*) from " + sql);
    }

    /** 1 500 handlers ran and none was completed in 15 s once, behind an open {@code cancel} of one task. */
    @ParameterizedTest
    @CsvSource({
        "completes, COMPLETED, 4",
        "fails, FAILED, 4",
        "completes, COMPLETED, 1",
    })
    void lockedRowDelaysNobodyButItself(String type, String ended, int slots) throws Exception {
        harness.startWorker(With.concurrency(slots), jobs);
        TaskId locked = queue.enqueue(TaskRequest.of(type, null).maxAttempts(1));
        await().until(() -> jobs.started.get() == 1);
        try (Connection other =
                harness.testDatabase().locking("select 1 from konduit_task where id = " + locked + " for update")) {
            jobs.mayEnd.countDown();
            enqueue("quick", 2_000);
            enqueue("quick-failure", 200);
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(List.of(
                            count("konduit_task_history where type = 'quick'"),
                            count("konduit_task where status = 'FAILED' and type = 'quick-failure'")))
                    .containsExactly(2_000L, 200L));
            assertThat(harness.status(locked)).isEqualTo("RUNNING");
            other.rollback();
        }
        await().untilAsserted(() -> assertThat(harness.status(locked)).isEqualTo(ended));
        assertThat(harness.events().stream().filter(event -> event instanceof io.konduit.queue.event.LeaseLost))
                .isEmpty();
        assertThat(jobs.started).as("it ran once").hasValue(1);
    }

    /** 24 622 outcomes waited and 26 716 leases were held with 10 slots once: a kill would have repeated them all. */
    @Test
    void nothingIsBegunBehindOutcomesThatCannotBeWritten() throws Exception {
        try (Connection other = harness.testDatabase().locking("lock table konduit_task_history in share mode")) {
            enqueue("quick", 20_000);
            harness.startWorker(With.concurrency(SLOTS), jobs);
            awaitStalledFor(Duration.ofSeconds(1));
            assertThat(jobs.runs.get()).as("runs that a kill would repeat").isLessThanOrEqualTo(3 * SLOTS);
            assertThat(count("konduit_task where status = 'RUNNING'"))
                    .as("leases")
                    .isLessThanOrEqualTo(3 * SLOTS);
            other.rollback();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> count("konduit_task_history") == 20_000);
        assertThat(jobs.runs).as("each ran once").hasValue(20_000);
    }

    @Test
    void leasesStayBoundedWhenOutcomesCannotBeWrittenAnyMore() throws Exception {
        harness.startWorker(With.concurrency(SLOTS), jobs);
        enqueue("quick", 500);
        await().until(() -> count("konduit_task_history") == 500);
        try (Connection other = harness.testDatabase().locking("lock table konduit_task_history in share mode")) {
            enqueue("quick", 20_000);
            awaitStalledFor(Duration.ofSeconds(2));
            assertThat(count("konduit_task where status = 'RUNNING'"))
                    .as("what was on its way when writing stalled, and what was claimed ahead")
                    .isLessThanOrEqualTo(2 * 4_000 + SLOTS);
            assertThat(jobs.runs.get() - 500).isLessThanOrEqualTo(2 * 4_000 + SLOTS);
            other.rollback();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> count("konduit_task_history") == 20_500);
    }

    /** Claimed ahead while runs were quick; slower ones are not begun one after another behind a stalled completer. */
    @Test
    void whatWasClaimedAheadIsNotBegunBehindOutcomesThatCannotBeWritten() throws Exception {
        harness.startWorker(With.concurrency(SLOTS), jobs);
        enqueue("quick", 500);
        await().until(() -> count("konduit_task_history") == 500);
        try (Connection other = harness.testDatabase().locking("lock table konduit_task_history in share mode")) {
            enqueue("steady", 2_000);
            awaitStalledFor(Duration.ofSeconds(2));
            assertThat(jobs.started.get())
                    .as("as many as run in a tenth of a second, and not in the second until they are given back")
                    .isLessThanOrEqualTo(120);
            other.rollback();
        }
    }

    /** The completer's statement has waited for that long. */
    private static void awaitStalledFor(Duration time) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> harness.jdbc()
                                .sql(
                                        "select count(*) from pg_stat_activity where datname = :name and wait_event_type = 'Lock'"
                                                + " and query_start < clock_timestamp() - :ms * interval '1 ms'")
                                .param("name", harness.testDatabase().name())
                                .param("ms", time.toMillis())
                                .query(Long.class)
                                .single()
                        > 0);
    }
}
