package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskError;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.admin.AttemptError;
import io.konduit.queue.admin.AttemptOutcome;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ErrorRepository;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.HistorySlots;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.RetentionRepository;
import io.konduit.queue.store.RetentionRepository.Kind;
import io.konduit.queue.store.RunError;
import io.konduit.queue.store.TaskRepository;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every attempt that fails leaves its error behind, whatever becomes of the task. */
class KeptErrorsTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Mails {
        final CountDownLatch goOn = new CountDownLatch(1);

        @JobHandler("mail")
        void send(TaskContext task) throws IOException {
            if (task.attempt() < 3) {
                throw new IllegalStateException("attempt " + task.attempt(), new IOException("disk full"));
            }
        }

        @JobHandler(value = "payment", reapable = false)
        void pay() throws InterruptedException {
            Thread.sleep(60_000);
        }

        @JobHandler("report")
        void report() {
            boolean interrupted = true;
            while (interrupted) {
                try {
                    goOn.await();
                    interrupted = false;
                } catch (InterruptedException e) {
                    // a handler that does not listen
                }
            }
            throw new IllegalStateException("the printer is out of paper");
        }
    }

    private final Mails mails = new Mails();

    private static List<AttemptError> errors(TaskId id) {
        return new ErrorRepository(harness.database()).of(id);
    }

    @Test
    void theErrorsOfEveryAttemptAreKeptWhenTheTaskIsCompletedLater() {
        TaskQueue queue = harness.queue(mails);
        WorkerLifecycle worker = harness.startWorker(mails);
        TaskId id = queue.enqueue("mail", null);
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
        assertThat(errors(id))
                .extracting(AttemptError::attempt, AttemptError::type, AttemptError::message, AttemptError::outcome)
                .containsExactly(
                        tuple(
                                2,
                                "java.io.IOException",
                                "disk full\njava.lang.IllegalStateException: attempt 2",
                                AttemptOutcome.RETRIED),
                        tuple(
                                1,
                                "java.io.IOException",
                                "disk full\njava.lang.IllegalStateException: attempt 1",
                                AttemptOutcome.RETRIED));
        assertThat(errors(id)).allSatisfy(error -> {
            assertThat(error.worker()).isEqualTo(worker.identity().id());
            assertThat(error.stack()).startsWith("java.io.IOException\n    at ").doesNotContain("disk full");
        });
        TaskError last = queue.find(id).orElseThrow().lastError();
        assertThat(last).isNotNull();
        assertThat(last.attempt()).isEqualTo(2);
        assertThat(last.message()).startsWith("disk full");
        assertThat(last.toString()).doesNotContain("disk full");
    }

    @Test
    void theNewestTwentyAreKept() {
        TaskId id = harness.queue().enqueue(TaskRequest.of("mail", null).maxAttempts(30));
        LeaseRepository worker = harness.newWorker();
        for (int attempt = 1; attempt <= 25; attempt++) {
            ClaimedTask claimed = harness.claimOne(worker);
            worker.fail(List.of(new Failure(
                    claimed.lease(),
                    false,
                    Duration.ZERO,
                    new RunError(claimed.attempt(), "x.Y", "message " + attempt, "stack"))));
        }
        assertThat(harness.count("select count(*) from konduit_task_error")).isEqualTo(ErrorRepository.MAX_PER_TASK);
        assertThat(errors(id))
                .extracting(AttemptError::attempt)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(0, 19).mapToObj(i -> 25 - i).toList());
    }

    @Test
    void errorsGoWithTheirTaskAndNoSooner() {
        TaskQueue queue = harness.queue();
        LeaseRepository worker = harness.newWorker();
        TaskId completed = queue.enqueue("mail", null);
        fail(worker, false);
        harness.makeDue(completed.value());
        worker.complete(List.of(harness.claimOne(worker).lease()));
        TaskId failed = queue.enqueue("mail", null);
        fail(worker, true);
        TaskId waiting = queue.enqueue("mail", null);
        fail(worker, false);
        RetentionRepository retention = new RetentionRepository(harness.database());
        HistoryPruner history =
                new HistoryPruner(new HistorySlots(harness.database()), RetentionSettings.defaults(), System::nanoTime);
        assertThat(history.pruneOnce()).isZero();
        assertThat(retention.prune(Kind.FAILED, Duration.ofDays(1), 10)).isZero();
        assertThat(List.of(completed, failed, waiting))
                .allSatisfy(id -> assertThat(errors(id)).hasSize(1));
        harness.testDatabase()
                .execute(
                        "alter table konduit_task disable trigger user",
                        "update konduit_task set finished_at = finished_at - interval '2 days' where status = 'FAILED'",
                        "update konduit_history_slot set opened_at = now() - interval '9 days', closed_at = now() - interval '8 days'"
                                + " where slot = 0",
                        "alter table konduit_task enable trigger user");
        assertThat(history.pruneOnce()).isEqualTo(1);
        assertThat(errors(completed)).isEmpty();
        assertThat(errors(failed)).hasSize(1);
        assertThat(retention.prune(Kind.FAILED, Duration.ofDays(1), 10)).isEqualTo(1);
        assertThat(errors(failed)).isEmpty();
        assertThat(errors(waiting)).hasSize(1);
    }

    @Test
    void aTaskThatNeverFailedIsReadByOneStatement() {
        TaskId broken = harness.queue().enqueue("mail", null);
        fail(harness.newWorker(), true);
        TaskId fine = harness.queue().enqueue("mail", null);
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            TaskRepository tasks = new TaskRepository(counted.database());
            tasks.find(fine); // the first time asks what kind of database it is
            assertThat(counted.statementsOf(
                            () -> assertThat(tasks.find(fine).orElseThrow().lastError())
                                    .isNull()))
                    .hasSize(1);
            assertThat(counted.statementsOf(
                            () -> assertThat(tasks.find(broken).orElseThrow().lastError())
                                    .isNotNull()))
                    .hasSize(2);
        }
    }

    @Test
    void aRunThatWasInterruptedAndIsLeftToAPersonLeavesItsError() {
        harness.startWorker(With.timeout(Duration.ofMillis(300)), mails);
        TaskId id = harness.queue(mails).enqueue("payment", null);
        await().untilAsserted(() -> assertThat(errors(id)).singleElement().satisfies(error -> {
            assertThat(error.outcome()).isEqualTo(AttemptOutcome.INTERRUPTED);
            assertThat(error.type()).isEqualTo("java.lang.InterruptedException");
            assertThat(error.message()).startsWith("Interrupted after its time limit");
            assertThat(error.stack()).startsWith("Interrupted after its time limit: java.lang.InterruptedException\n");
        }));
        assertThat(harness.queue().find(id).orElseThrow().lastError()).isNotNull();
    }

    @Test
    void aRunThatFailedAfterItHadLostItsTaskLeavesItsError() {
        harness.startWorker(mails);
        TaskQueue queue = harness.queue(mails);
        TaskId id = queue.enqueue("report", null);
        await().until(() -> harness.status(id).equals("RUNNING"));
        queue.cancel(id);
        mails.goOn.countDown();
        await().untilAsserted(() -> assertThat(errors(id)).singleElement().satisfies(error -> {
            assertThat(error.outcome()).isEqualTo(AttemptOutcome.REFUSED);
            assertThat(error.message()).isEqualTo("the printer is out of paper");
        }));
        assertThat(queue.find(id).orElseThrow().lastError())
                .as("no attempt of the task")
                .isNull();
    }

    private static void fail(LeaseRepository worker, boolean fatal) {
        ClaimedTask claimed = harness.claimOne(worker);
        worker.fail(List.of(
                new Failure(claimed.lease(), fatal, Duration.ofHours(1), new RunError(1, "x.Y", "message", "stack"))));
    }
}
