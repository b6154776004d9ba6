package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.With;
import io.konduit.queue.operations.DatabaseQueueInspection;
import io.konduit.queue.settings.InspectionSettings;
import io.konduit.queue.store.LeaseRepository;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
@Tag("H6")
class HangingRunsTests {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final QueueFixture recovery = new QueueFixture(harness.database());
    private final TaskQueue queue = harness.queue();
    private final Stubborn stubborn = new Stubborn();

    /** Ignores its time limit and interrupts, in its first run. */
    static class Stubborn {
        final List<Long> started = new CopyOnWriteArrayList<>();
        final CountDownLatch told = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobHandler(value = "stubborn", timeout = "100ms")
        void run(TaskContext task) {
            started.add(task.fencingToken());
            while (task.fencingToken() == 1 && mayEnd.getCount() > 0) {
                try {
                    mayEnd.await();
                } catch (InterruptedException e) {
                    told.countDown();
                }
            }
        }

        @JobHandler("endless")
        void runWithoutLimit(TaskContext task) {
            run(task);
        }

        @JobHandler("quick")
        void quick() {}
    }

    @AfterEach
    void letEnd() {
        stubborn.mayEnd.countDown();
    }

    /** A task whose handler goes on after its time limit, taken back by the reaper. */
    private TaskId hang() throws InterruptedException {
        TaskId id = queue.enqueue("stubborn", null);
        stubborn.told.await();
        harness.expireLease(id.value(), Duration.ofSeconds(1));
        // the watchdog has seen it by its next step
        await().until(() -> !harness.status(id).equals("RUNNING")
                || recovery.reclaimer().reclaimOnce().reclaimed() == 1);
        harness.makeDue(id.value());
        return id;
    }

    private void completes(TaskId id) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
    }

    @Test
    void taskDoesNotRunBesideItsOwnOlderRunAndComesBackWhenThatHasEnded() throws Exception {
        harness.startWorker(With.concurrency(2), stubborn);
        TaskId id = hang();
        for (int i = 0; i < 3; i++) {
            completes(queue.enqueue("quick", null));
        }
        assertThat(stubborn.started).containsExactly(1L);
        assertThat(harness.jdbc()
                        .sql("select status || ' ' || lease_epoch from konduit_task where id = :id")
                        .param("id", id.value())
                        .query(String.class)
                        .single())
                .as("not even claimed")
                .isEqualTo("PENDING 1");
        harness.jdbc()
                .sql("update konduit_worker set last_beat_at = clock_timestamp()")
                .update();
        assertThat(explanation(id))
                .contains("Worker 'test' (", "has not reported that its handler ended: it may hang there");
        stubborn.mayEnd.countDown();
        completes(id);
        assertThat(stubborn.started).hasSize(2);
        assertThat(queue.find(id).orElseThrow().attempts()).as("charged").isEqualTo(2);
    }

    @Test
    void workerThatWasKilledIsNotSaidToHang() {
        TaskId id = queue.enqueue("stubborn", null);
        LeaseRepository killed = harness.newWorker();
        harness.claimOne(killed);
        harness.jdbc()
                .sql(
                        "insert into konduit_worker (id, name, host, pid, version, queues, concurrency, status, started_at, last_beat_at)"
                                + " values (:id, 'killed', 'host', 1, '1', '{default}', 1, 'ACTIVE', clock_timestamp() - interval '1 min',"
                                + " clock_timestamp() - interval '5 s')")
                .param("id", killed.worker())
                .update();
        harness.expireLease(id.value(), Duration.ofSeconds(1));
        await().until(() -> recovery.reclaimer().reclaimOnce().reclaimed() == 1);
        harness.makeDue(id.value());
        assertThat(explanation(id)).doesNotContain("may hang there");
    }

    /** Contexts can be stopped and started again, and its handler is then still in the same JVM. */
    @Test
    void taskDoesNotRunBesideItsOwnOlderRunAfterTheWorkerWasStartedAgain() throws Exception {
        WorkerLifecycle worker =
                harness.startWorker(With.all(With.concurrency(2), With.drainTimeout(Duration.ZERO)), stubborn);
        TaskId id = queue.enqueue("endless", null);
        await().until(() -> !stubborn.started.isEmpty());
        worker.stop();
        stubborn.told.await();
        assertThat(harness.status(id)).isEqualTo("PENDING");
        worker.start();
        for (int i = 0; i < 3; i++) {
            completes(queue.enqueue("quick", null));
        }
        assertThat(stubborn.started).containsExactly(1L);
        stubborn.mayEnd.countDown();
        completes(id);
    }

    @Test
    void anotherWorkerTakesTheTaskAtOnce() throws Exception {
        harness.startWorker(With.concurrency(2), stubborn);
        TaskId id = hang();
        Stubborn elsewhere = new Stubborn();
        harness.startWorker(elsewhere);
        completes(id);
        assertThat(stubborn.started).containsExactly(1L);
        assertThat(elsewhere.started).hasSize(1);
        assertThat(explanation(id)).doesNotContain("may hang there");
    }

    @Test
    void slotOfAHangingRunStaysTaken() throws Exception {
        harness.startWorker(With.concurrency(1), stubborn);
        hang();
        TaskId waits = queue.enqueue("quick", null);
        await().during(Duration.ofMillis(500)).until(() -> harness.status(waits).equals("PENDING"));
        stubborn.mayEnd.countDown();
        completes(waits);
    }

    private static String explanation(TaskId id) {
        InspectionSettings settings = InspectionSettings.defaults();
        return new DatabaseQueueInspection(harness.database(), settings)
                .story(id)
                .explanation();
    }

    @Test
    void logSaysWhereItHangsOnceAndAgainAtGrowingIntervals() {
        HangingRuns hanging = new HangingRuns();
        RunningTask run = new RunningTask(Tasks.claimed(17), Duration.ZERO, 0);
        run.begin(0);
        try (CapturedLog log = new CapturedLog(HangingRuns.class)) {
            hanging.look(List.of(run), 0);
            assertThat(hanging.taskIds()).as("it has not been told to end").isEmpty();
            run.end(RunningTask.End.TIMED_OUT);
            assertThat(Thread.interrupted()).isTrue();
            for (long second = 0; second <= 500; second++) {
                hanging.look(List.of(run), second * SECOND);
            }
            assertThat(hanging.taskIds()).containsExactly(17L);
            assertThat(hanging.all(500 * SECOND))
                    .containsExactly(new HangingRun(
                            "task 17 (type, attempt 1)", "it is over its time limit", Duration.ofSeconds(500)));
            assertThat(log.at(Level.WARN).stream()
                            .map(line -> line.replaceFirst(".*interrupted (\\S+) ago (?s).*", "$1")))
                    .containsExactly("5s", "1m", "2m", "4m", "8m");
            assertThat(log.at(Level.WARN).get(0))
                    .startsWith(
                            "task 17 (type, attempt 1) does not end: its handler was interrupted 5s ago (it is over its time limit) and is still running. It keeps its slot, and this worker does not take the task again until the handler has ended. Its stack:\n    at ")
                    .contains("\n    at " + HangingRunsTests.class.getName() + ".logSaysWhereItHangs")
                    .doesNotContain("java.lang.reflect");
            run.finish(501 * SECOND);
            hanging.look(List.of(run), 501 * SECOND);
            hanging.look(List.of(run), 502 * SECOND);
            assertThat(log.at(Level.INFO))
                    .containsExactly(
                            "The handler of task 17 (type, attempt 1) has ended, 501s after it was interrupted");
        }
        assertThat(hanging.taskIds()).isEmpty();
        assertThat(hanging.all(0)).isEmpty();
    }

    @Test
    void runThatEndsSoonAfterItWasToldLeavesNoTrace() {
        HangingRuns hanging = new HangingRuns();
        RunningTask run = new RunningTask(Tasks.claimed(17), Duration.ZERO, 0);
        run.begin(0);
        run.end(RunningTask.End.LOST);
        try (CapturedLog log = new CapturedLog(HangingRuns.class)) {
            hanging.look(List.of(run), 0);
            hanging.look(List.of(run), 4 * SECOND);
            run.finish(0);
            hanging.look(List.of(), 6 * SECOND);
            assertThat(log.all()).isEmpty();
        }
        assertThat(Thread.interrupted()).isFalse();
    }
}
