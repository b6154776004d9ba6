package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Task;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskHandedOverError;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.WorkerRepository;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** S14: a worker that is told to drain claims nothing more, ends what runs, and hands over at the next checkpoint. */
@Tag("S14")
class DrainTests {
    /** With beats every second. */
    private static final UnaryOperator<WorkerSettings> QUICK = With.lockTimeout(Duration.ofSeconds(3));

    private static final int STEPS = 4;

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final WorkerRepository workers = new WorkerRepository(harness.database());
    private final DataSourceTransactionManager manager = harness.transactionManager();
    private final TransactionTemplate transaction = new TransactionTemplate(manager);
    private final Jobs jobs = new Jobs();
    private final TaskQueue queue = harness.queue(jobs);

    @BeforeEach
    void createTable() {
        harness.testDatabase().execute("drop table if exists step", "create table step (number integer)");
    }

    /** Each drains its own worker in its first run, after the first step, and waits until the worker has heard of it. */
    class Jobs {
        final List<String> runs = new CopyOnWriteArrayList<>();
        final List<Integer> callbacks = new CopyOnWriteArrayList<>();
        final CountDownLatch goOn = new CountDownLatch(1);

        @JobHandler("plain")
        void plain(TaskContext task) {
            steps(task, step -> {
                work(step);
                task.checkpoint(step);
            });
        }

        @JobHandler("in-transaction")
        void inTransaction(TaskContext task) {
            steps(
                    task,
                    step -> transaction.executeWithoutResult(status -> {
                        work(step);
                        task.checkpoint(step);
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                callbacks.add(step);
                            }
                        });
                    }));
        }

        @JobHandler("nested")
        void nested(TaskContext task) {
            TransactionTemplate inner = new TransactionTemplate(manager);
            inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            steps(
                    task,
                    step -> transaction.executeWithoutResult(status -> {
                        work(step);
                        inner.executeWithoutResult(own -> task.checkpoint(step));
                    }));
        }

        @JobHandler("work-then-checkpoint")
        void workThenCheckpoint(TaskContext task) {
            steps(task, step -> {
                transaction.executeWithoutResult(status -> work(step));
                task.checkpoint(step);
            });
        }

        @JobHandler("careless")
        void careless(TaskContext task) {
            steps(task, step -> {
                try {
                    work(step);
                    task.checkpoint(step);
                } catch (Exception e) {
                    runs.add("took it for a failure");
                }
            });
        }

        @JobHandler("stubborn")
        void stubborn(TaskContext task) {
            steps(task, step -> {
                try {
                    work(step);
                    task.checkpoint(step);
                } catch (TaskHandedOverError e) {
                    runs.add("went on");
                }
            });
        }

        @JobHandler("async")
        CompletableFuture<Void> async(TaskContext task) {
            return CompletableFuture.runAsync(() -> plain(task));
        }

        @JobHandler(value = "transactional", transactional = true)
        void transactional(TaskContext task) {
            plain(task);
        }

        @JobHandler("wait")
        void waits(TaskContext task) throws InterruptedException {
            runs.add("began");
            goOn.await(30, TimeUnit.SECONDS);
        }

        private void steps(TaskContext task, IntConsumer body) {
            int done = task.lastCheckpoint(Integer.class).orElse(0);
            runs.add("attempt " + task.attempt() + " after step " + done);
            for (int step = done + 1; step <= STEPS; step++) {
                if (step == 2 && done == 0) {
                    drainOwner(task);
                }
                body.accept(step);
            }
        }

        private void drainOwner(TaskContext task) {
            UUID worker = queue.find(task.id()).map(Task::lockedBy).orElseThrow();
            assertThat(workers.drain(worker, new Author("ada", null))).isTrue();
            await().atMost(Duration.ofSeconds(20)).until(task::draining);
        }

        private void work(int step) {
            harness.jdbc()
                    .sql("insert into step values (:step)")
                    .param("step", step)
                    .update();
        }
    }

    @Test
    void handsOverAfterACheckpointAndAnotherWorkerGoesOnUncharged() {
        TaskId id = run("plain");
        assertThat(jobs.runs).containsExactly("attempt 1 after step 0", "attempt 1 after step 2");
        assertThat(steps()).as("no step is repeated").containsExactly(1, 2, 3, 4);
        assertThat(harness.jdbc()
                        .sql("select count(*) from konduit_task_incident where task_id = :id")
                        .param("id", id.value())
                        .query(Long.class)
                        .single())
                .as("no loss")
                .isZero();
    }

    @Test
    void handsOverAfterTheCommitOfACheckpointsTransactionAndItsCallbacks() {
        run("in-transaction");
        assertThat(jobs.runs).containsExactly("attempt 1 after step 0", "attempt 1 after step 2");
        assertThat(steps()).containsExactly(1, 2, 3, 4);
        assertThat(jobs.callbacks).containsExactly(1, 2, 3, 4);
    }

    @Test
    void aTransactionAroundIsNeverRolledBackByAHandOver() {
        run("nested");
        assertThat(jobs.runs).containsExactly("attempt 1 after step 0", "attempt 1 after step 2");
        assertThat(steps()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void aCommitWithoutACheckpointIsNoHandOverAlsoAfterAnEarlierCheckpoint() {
        run("work-then-checkpoint");
        assertThat(jobs.runs).containsExactly("attempt 1 after step 0", "attempt 1 after step 2");
        assertThat(steps()).as("no step is repeated").containsExactly(1, 2, 3, 4);
    }

    @Test
    void aHandlerThatCatchesExceptionsDoesNotTakeItForAFailure() {
        run("careless");
        assertThat(jobs.runs).containsExactly("attempt 1 after step 0", "attempt 1 after step 2");
    }

    @Test
    void aHandlerThatDoesNotLetItPassRunsToItsEnd() {
        run("stubborn");
        assertThat(jobs.runs).containsExactly("attempt 1 after step 0", "went on", "went on", "went on");
    }

    @Test
    void aCheckpointOnAnotherThreadEndsNothing() {
        run("async");
        assertThat(jobs.runs).containsExactly("attempt 1 after step 0");
    }

    @Test
    void aTransactionalHandlerRunsToItsEnd() {
        run("transactional");
        assertThat(jobs.runs).containsExactly("attempt 1 after step 0");
    }

    @Test
    void aTaskThatMustNotRunTwiceStaysWithItsWorker() {
        startTwo();
        TaskId id = queue.enqueue(TaskRequest.of("plain", null).reapable(false));
        awaitCompleted(id);
        assertThat(jobs.runs).containsExactly("attempt 1 after step 0");
        assertThat(steps()).containsExactly(1, 2, 3, 4);
    }

    @Test
    void claimsNothingMoreEndsWhatRunsAndGoesOnWhenResumed() {
        WorkerLifecycle worker = harness.startWorker(QUICK, jobs);
        UUID id = worker.identity().id();
        TaskId running = queue.enqueue("wait", null);
        await().until(() -> jobs.runs.contains("began"));
        assertThat(workers.drain(id, new Author("ada", "host is replaced"))).isTrue();
        assertThat(workers.drain(id, new Author("ada", null))).as("again").isFalse();
        assertThat(workers.state(id)).contains("DRAINING");
        awaitBeats(id, 2);

        TaskId waiting = queue.enqueue("wait", null);
        jobs.goOn.countDown();

        awaitCompleted(running);
        awaitBeats(id, 1);
        assertThat(harness.status(waiting)).isEqualTo("PENDING");

        assertThat(workers.resume(id, new Author("ada", null))).isTrue();
        awaitCompleted(waiting);
        assertThat(harness.jdbc()
                        .sql(
                                "select action || ' ' || target || ' ' || actor || coalesce(' ' || note, '') from konduit_audit"
                                        + " where target = :id order by id")
                        .param("id", id.toString())
                        .query(String.class)
                        .list())
                .containsExactly("DRAIN " + id + " ada host is replaced", "RESUME " + id + " ada");
    }

    @Test
    void anInstanceWithoutSlotsIsNotToldToDrain() {
        UUID id = UUID.randomUUID();
        workers.beat(new WorkerRepository.Registration(id, "chores", "localhost", 1, "1", null, List.of(), 0));
        assertThat(workers.drain(id, new Author("ada", null))).isFalse();
        assertThat(workers.state(id)).contains("CHORES_ONLY");
    }

    private TaskId run(String type) {
        startTwo();
        TaskId id = queue.enqueue(type, null);
        awaitCompleted(id);
        return id;
    }

    private void startTwo() {
        for (int i = 0; i < 2; i++) {
            harness.startWorker(harness.database(), manager, QUICK, QueueHarness.quickRetries(), jobs);
        }
    }

    private static void awaitCompleted(TaskId id) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
    }

    private static void awaitBeats(UUID worker, int more) {
        long before = beats(worker);
        await().atMost(Duration.ofSeconds(20)).until(() -> beats(worker) >= before + more);
    }

    private static long beats(UUID worker) {
        return harness.jdbc()
                .sql("select beats from konduit_worker where id = :id")
                .param("id", worker)
                .query(Long.class)
                .single();
    }

    private static List<Integer> steps() {
        return harness.jdbc()
                .sql("select number from step order by number")
                .query(Integer.class)
                .list();
    }
}
