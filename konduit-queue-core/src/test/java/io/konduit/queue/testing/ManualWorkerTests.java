package io.konduit.queue.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.DoNotRetryException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.Priority;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.RetryPolicy;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.event.TaskFailed;
import io.konduit.queue.testing.ManualWorker.Result;
import io.konduit.queue.testing.ManualWorker.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class ManualWorkerTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final DataSourceTransactionManager transactions = harness.transactionManager();

    class Jobs {
        final List<String> ran = new ArrayList<>();
        final List<Thread> threads = new ArrayList<>();
        final List<Boolean> inTransaction = new ArrayList<>();
        RuntimeException error;

        @JobHandler("mail")
        void mail(String to, TaskContext task) {
            ran.add(to + "/" + task.attempt());
            threads.add(Thread.currentThread());
            if (error != null) {
                throw error;
            }
        }

        @JobHandler(value = "pay", transactional = true)
        void pay(String order) {
            ran.add(order);
            inTransaction.add(harness.database().callerTransaction().isOpen());
            if (error != null) {
                throw error;
            }
        }

        @JobHandler("follow-up")
        void followUp() {
            ran.add("follow-up");
            queue.enqueue("mail", "after");
        }

        @JobHandler("cancels-itself")
        void cancelsItself(TaskContext task) {
            queue.cancel(task.id());
            // a transaction of the handler checks the lease before it commits
            new TransactionTemplate(transactions).executeWithoutResult(status -> harness.jdbc()
                    .sql("insert into konduit_queue values ('effect', clock_timestamp(), 'x')")
                    .update());
        }
    }

    private final Jobs jobs = new Jobs();
    private final TaskQueue queue = harness.queue(jobs);
    private final ManualWorker worker = ManualWorker.in(context());

    /** What an application with {@code konduit.queue.worker.enabled=false} has. */
    private DefaultListableBeanFactory context() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("database", harness.database());
        beans.registerSingleton("handlers", QueueHarness.registry(jobs));
        beans.registerSingleton("converter", QueueHarness.converter());
        beans.registerSingleton("retries", RetryPolicy.exponential(3, Duration.ofHours(1), 1, Duration.ofHours(1), 0));
        beans.registerSingleton("events", harness.queueEvents());
        beans.registerSingleton("transactions", transactions);
        return beans;
    }

    private static List<Result> results(List<Run> runs) {
        return runs.stream().map(Run::result).toList();
    }

    @Test
    void runsWhatIsDueOnceOnTheCallersThreadBestFirst() {
        queue.enqueue("mail", "second");
        TaskId first = queue.enqueue(
                TaskRequest.of("mail", "first").priority(Priority.HIGH).queue("other"));
        queue.enqueue(TaskRequest.of("mail", "later").delay(Duration.ofHours(1)));
        List<Run> runs = worker.runDue();
        assertThat(jobs.ran).containsExactly("first/1", "second/1");
        assertThat(jobs.threads).containsOnly(Thread.currentThread());
        assertThat(runs.get(0)).isEqualTo(new Run(first, "mail", Result.COMPLETED, null));
        assertThat(results(runs)).containsExactly(Result.COMPLETED, Result.COMPLETED);
        assertThat(harness.status(first)).isEqualTo("COMPLETED");
        assertThat(worker.runDue()).isEmpty();
    }

    @Test
    void doesNothingWhenNothingIsDue() {
        assertThat(worker.runDue()).isEmpty();
        assertThat(worker.makeDue()).isZero();
    }

    @Test
    void whatHandlersEnqueueWaitsForTheNextCall() {
        queue.enqueue("follow-up", null);
        assertThat(worker.runDue()).hasSize(1);
        assertThat(jobs.ran).containsExactly("follow-up");
        assertThat(results(worker.runDue())).containsExactly(Result.COMPLETED);
        assertThat(jobs.ran).containsExactly("follow-up", "after/1");
    }

    @Test
    void failedAttemptIsRetriedWhenTimeHasPassed() {
        jobs.error = new IllegalStateException("not yet");
        TaskId id = queue.enqueue("mail", "Ada");
        assertThat(worker.runDue()).containsExactly(new Run(id, "mail", Result.RETRIED, jobs.error));
        assertThat(worker.runDue()).isEmpty();
        worker.letTimePass(Duration.ofMinutes(59));
        assertThat(worker.runDue()).isEmpty();
        worker.letTimePass(Duration.ofMinutes(1));
        assertThat(results(worker.runDue())).containsExactly(Result.RETRIED);
        assertThat(worker.makeDue()).isEqualTo(1);
        assertThat(results(worker.runDue())).containsExactly(Result.FAILED);
        assertThat(jobs.ran).containsExactly("Ada/1", "Ada/2", "Ada/3");
        assertThat(harness.events()).singleElement().isInstanceOfSatisfying(TaskFailed.class, failed -> assertThat(
                        failed.error())
                .isEqualTo(queue.find(id).orElseThrow().lastError()));
    }

    @Test
    void failureForGoodIsToldWithItsError() {
        jobs.error = new DoNotRetryException("no");
        TaskId id = queue.enqueue("mail", "Ada");
        assertThat(worker.runDue()).containsExactly(new Run(id, "mail", Result.FAILED, jobs.error));
        assertThat(harness.status(id)).isEqualTo("FAILED");
    }

    @Test
    void transactionalHandlersRunInTheirTransaction() {
        TaskId id = queue.enqueue("pay", "order-1");
        assertThat(results(worker.runDue())).containsExactly(Result.COMPLETED);
        assertThat(jobs.inTransaction).containsExactly(true);
        assertThat(harness.status(id)).isEqualTo("COMPLETED");
        jobs.error = new IllegalStateException("not yet");
        queue.enqueue("pay", "order-2");
        assertThat(results(worker.runDue())).containsExactly(Result.RETRIED);
    }

    @Test
    void unknownTypeStaysInTheQueueUncharged() {
        TaskId id = queue.enqueue(TaskRequest.of("unknown", 1).maxAttempts(2));
        assertThat(worker.runDue()).containsExactly(new Run(id, "unknown", Result.NO_HANDLER, null));
        assertThat(harness.status(id)).isEqualTo("PENDING");
        assertThat(queue.find(id).orElseThrow()).satisfies(task -> assertThat(task.maxAttempts() - task.attempts())
                .isEqualTo(2));
    }

    @Test
    void cancelledTaskIsALostLeaseAndItsTransactionsDoNotCommit() {
        TaskId id = queue.enqueue("cancels-itself", null);
        assertThat(results(worker.runDue())).containsExactly(Result.LEASE_LOST);
        assertThat(harness.status(id)).isEqualTo("CANCELLED");
        assertThat(harness.events())
                .containsExactly(new LeaseLost(id, "cancels-itself", "default", 1, LeaseLost.Reason.CANCELLED));
        assertThat(harness.count("select count(*) from konduit_queue")).isZero();
    }

    @Test
    void delayedTasksAreDueWhenTimeIsMoved() {
        queue.enqueue(TaskRequest.of("mail", "tomorrow").delay(Duration.ofDays(1)));
        queue.enqueue(TaskRequest.of("mail", "tonight").delay(Duration.ofHours(8)));
        assertThat(worker.makeDue()).isEqualTo(2);
        worker.runDue();
        assertThat(jobs.ran).containsExactly("tonight/1", "tomorrow/1");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> worker.letTimePass(Duration.ofSeconds(-1)))
                .withMessage("Expected a duration of zero or more, but it is PT-1S.");
    }

    @Test
    void refusesToRunInsideATransaction() {
        harness.transaction().executeWithoutResult(status -> assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(worker::runDue)
                .withMessageStartingWith(
                        "ManualWorker sees committed tasks only, but it was called inside a transaction."));
    }
}
