package io.konduit.queue.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.konduit.queue.DoNotRetryException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.Priority;
import io.konduit.queue.RetryPolicy;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.event.TaskFailed;
import io.konduit.queue.testing.ManualWorker.Result;
import io.konduit.queue.testing.ManualWorker.Run;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(properties = "konduit.queue.worker.enabled=false")
class ManualWorkerTests {
    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({OwnDatabase.class, Jobs.class})
    static class Application {
        @Bean
        RetryPolicy retryPolicy() {
            return RetryPolicy.exponential(3, Duration.ofHours(1), 1, Duration.ofHours(1), 0);
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes({@JsonSubTypes.Type(Card.class), @JsonSubTypes.Type(Cash.class)})
    interface Pay {}

    record Card(String number) implements Pay {}

    record Cash(int cents) implements Pay {}

    static class Jobs {
        final List<String> ran = new ArrayList<>();
        final List<Thread> threads = new ArrayList<>();
        final List<Boolean> inTransaction = new ArrayList<>();
        final List<Pay> paid = new ArrayList<>();
        final List<Object> events = new ArrayList<>();
        RuntimeException error;

        private final TaskQueue queue;
        private final JdbcClient jdbc;
        private final TransactionTemplate transaction;

        Jobs(TaskQueue queue, JdbcClient jdbc, PlatformTransactionManager transactions) {
            this.queue = queue;
            this.jdbc = jdbc;
            this.transaction = new TransactionTemplate(transactions);
        }

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
            inTransaction.add(TransactionSynchronizationManager.isActualTransactionActive());
            if (error != null) {
                throw error;
            }
        }

        @JobHandler("snoozes")
        void snoozes(TaskContext task) {
            ran.add("snoozes");
            task.snooze(Duration.ofHours(1));
        }

        @JobHandler("follow-up")
        void followUp() {
            ran.add("follow-up");
            queue.enqueue("mail", "after");
        }

        @JobHandler("pays")
        void pays(List<Pay> pays) {
            paid.addAll(pays);
        }

        @JobHandler(value = "print", queue = "printing")
        void print() {
            ran.add("print");
        }

        @JobHandler("cancels-itself")
        void cancelsItself(TaskContext task) {
            queue.cancel(task.id());
            // a transaction of the handler checks the lease before it commits
            transaction.executeWithoutResult(
                    status -> jdbc.sql("insert into effect values ('x')").update());
        }

        @EventListener({TaskFailed.class, LeaseLost.class})
        void heard(Object event) {
            events.add(event);
        }
    }

    @Autowired
    private Jobs jobs;

    @Autowired
    private TaskQueue queue;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private PlatformTransactionManager transactions;

    private ManualWorker worker;

    @BeforeEach
    void startAfresh(@Autowired ApplicationContext context) {
        worker = ManualWorker.in(context);
        jdbc.sql("create table if not exists effect (name text)").update();
        jdbc.sql("truncate effect, konduit_task, konduit_task_history, konduit_task_incident, konduit_task_error")
                .update();
        jobs.ran.clear();
        jobs.threads.clear();
        jobs.inTransaction.clear();
        jobs.events.clear();
        jobs.error = null;
    }

    private TaskStatus status(TaskId id) {
        return queue.find(id).orElseThrow().status();
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
        assertThat(status(first)).isEqualTo(TaskStatus.COMPLETED);
        assertThat(worker.runDue()).isEmpty();
    }

    @Test
    @Tag("D4")
    void snoozedTaskWaitsUntilItsTimeHasCome() {
        TaskId id = queue.enqueue("snoozes", null);
        assertThat(results(worker.runDue())).containsExactly(Result.SNOOZED);
        assertThat(worker.runDue()).isEmpty();
        assertThat(status(id)).isEqualTo(TaskStatus.PENDING);
        worker.makeDue();
        assertThat(results(worker.runDue())).containsExactly(Result.SNOOZED);
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
        assertThat(jobs.events).singleElement().isInstanceOfSatisfying(TaskFailed.class, failed -> assertThat(
                        failed.error())
                .isEqualTo(queue.find(id).orElseThrow().lastError()));
    }

    @Test
    void failureForGoodIsToldWithItsError() {
        jobs.error = new DoNotRetryException("no");
        TaskId id = queue.enqueue("mail", "Ada");
        assertThat(worker.runDue()).containsExactly(new Run(id, "mail", Result.FAILED, jobs.error));
        assertThat(status(id)).isEqualTo(TaskStatus.FAILED);
    }

    @Test
    void transactionalHandlersRunInTheirTransaction() {
        TaskId id = queue.enqueue("pay", "order-1");
        assertThat(results(worker.runDue())).containsExactly(Result.COMPLETED);
        assertThat(jobs.inTransaction).containsExactly(true);
        assertThat(status(id)).isEqualTo(TaskStatus.COMPLETED);
        jobs.error = new IllegalStateException("not yet");
        queue.enqueue("pay", "order-2");
        assertThat(results(worker.runDue())).containsExactly(Result.RETRIED);
    }

    @Test
    void unknownTypeStaysInTheQueueUncharged() {
        TaskId id = queue.enqueue(TaskRequest.of("unknown", 1).maxAttempts(2));
        assertThat(worker.runDue()).containsExactly(new Run(id, "unknown", Result.NO_HANDLER, null));
        assertThat(status(id)).isEqualTo(TaskStatus.PENDING);
        assertThat(queue.find(id).orElseThrow()).satisfies(task -> assertThat(task.maxAttempts() - task.attempts())
                .isEqualTo(2));
    }

    @Test
    void cancelledTaskIsALostLeaseAndItsTransactionsDoNotCommit() {
        TaskId id = queue.enqueue("cancels-itself", null);
        assertThat(results(worker.runDue())).containsExactly(Result.LEASE_LOST);
        assertThat(status(id)).isEqualTo(TaskStatus.CANCELLED);
        assertThat(jobs.events)
                .containsExactly(new LeaseLost(id, "cancels-itself", "default", 1, LeaseLost.Reason.CANCELLED));
        assertThat(jdbc.sql("select count(*) from effect").query(Long.class).single())
                .isZero();
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
        new TransactionTemplate(transactions)
                .executeWithoutResult(status -> assertThatExceptionOfType(IllegalStateException.class)
                        .isThrownBy(worker::runDue)
                        .withMessageStartingWith(
                                "ManualWorker sees committed tasks only, but it was called inside a transaction."));
    }

    @Test
    void runsTasksOfDeclaredQueues() {
        queue.enqueue("print", null);
        assertThat(results(worker.runDue())).containsExactly(Result.COMPLETED);
        assertThat(jobs.ran).containsExactly("print");
    }

    @Test
    void listOfAnInterfaceReachesItsHandler() {
        List<Pay> pays = List.of(new Card("1"), new Cash(2));
        queue.enqueue("pays", pays);
        assertThat(results(worker.runDue())).containsExactly(Result.COMPLETED);
        assertThat(jobs.paid).isEqualTo(pays);
    }
}
