package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.InvalidJobHandlerException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.event.LeaseLost;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** F4, I9: what a transactional handler writes is committed if and only if its task is completed. */
@Tag("F4")
class TransactionalHandlerTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    /** Does as it is told after it has written its effect. */
    static class Payments {
        final List<Integer> attempts = new CopyOnWriteArrayList<>();
        final List<Optional<String>> checkpoints = new CopyOnWriteArrayList<>();
        volatile Step afterEffect = task -> {};

        @JobHandler(value = "pay", transactional = true)
        void pay(String order, TaskContext task) {
            attempts.add(task.attempt());
            checkpoints.add(task.lastCheckpoint(String.class));
            harness.jdbc()
                    .sql("insert into effects (task, note) values (:task, :note)")
                    .param("task", task.id().value())
                    .param("note", order)
                    .update();
            afterEffect.run(task);
        }
    }

    interface Step {
        void run(TaskContext task);
    }

    private final Payments payments = new Payments();
    private final TaskQueue queue = harness.queue(payments);

    @BeforeAll
    static void createEffects() {
        harness.testDatabase()
                .execute(
                        "create table effects (task bigint not null, note text not null)",
                        "create table parents (id bigint primary key)",
                        "create table children (id bigint references parents deferrable initially deferred)");
    }

    @BeforeEach
    void clearEffects() {
        harness.testDatabase().execute("truncate effects");
    }

    private static List<String> effects() {
        return harness.jdbc()
                .sql("select note from effects order by note")
                .query(String.class)
                .list();
    }

    private static void awaitStatus(TaskId id, String status) {
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo(status));
    }

    @Test
    @Tag("I9")
    void effectsAndCompletionCommitTogether() {
        harness.startWorker(payments);
        TaskId id = queue.enqueue("pay", "order-1");
        await().until(() -> effects().equals(List.of("order-1")));
        assertThat(harness.status(id)).isEqualTo("COMPLETED");
    }

    @Test
    void errorRollsBothBackAndTheNextAttemptStartsAfresh() {
        payments.afterEffect = task -> {
            if (task.attempt() < 3) {
                throw new IllegalStateException("not yet");
            }
        };
        harness.startWorker(payments);
        TaskId id = queue.enqueue("pay", "order-1");
        awaitStatus(id, "COMPLETED");
        assertThat(payments.attempts).containsExactly(1, 2, 3);
        assertThat(effects()).containsExactly("order-1");
    }

    @Test
    void errorOfTheLastAttemptLeavesNoEffects() {
        payments.afterEffect = task -> {
            throw new IllegalStateException("never");
        };
        harness.startWorker(payments);
        TaskId id = queue.enqueue("pay", "order-1");
        awaitStatus(id, "FAILED");
        assertThat(effects()).isEmpty();
    }

    @Test
    @Tag("F1")
    @Tag("I9")
    void lostLeaseRollsTheEffectsBack() {
        payments.afterEffect =
                task -> inOtherThread(() -> assertThat(queue.cancel(task.id())).isTrue());
        harness.startWorker(payments);
        TaskId id = queue.enqueue("pay", "order-1");
        awaitStatus(id, "CANCELLED");
        await().untilAsserted(() -> assertThat(harness.events())
                .containsExactly(new LeaseLost(id, "pay", "default", 1, LeaseLost.Reason.CANCELLED)));
        assertThat(effects()).isEmpty();
        assertThat(payments.attempts).containsExactly(1);
    }

    /** A part of the handler failed, marked the transaction for rollback, and the handler carried on. */
    @Test
    void transactionMarkedForRollbackIsAnErrorAndTriedAgain() {
        AtomicBoolean first = new AtomicBoolean(true);
        DataSourceTransactionManager transactions = harness.transactionManager();
        payments.afterEffect = task -> {
            if (first.getAndSet(false)) {
                new org.springframework.transaction.support.TransactionTemplate(transactions)
                        .executeWithoutResult(status -> status.setRollbackOnly());
            }
        };
        harness.startWorker(
                harness.database(), transactions, UnaryOperator.identity(), QueueHarness.quickRetries(), payments);
        TaskId id = queue.enqueue("pay", "order-1");
        awaitStatus(id, "COMPLETED");
        assertThat(payments.attempts).containsExactly(1, 2);
        assertThat(effects()).containsExactly("order-1");
    }

    @Test
    void commitThatTheDatabaseRefusesIsAnErrorAndTriedAgain() {
        payments.afterEffect = task -> {
            if (task.attempt() == 1) {
                harness.jdbc().sql("insert into children values (99)").update();
            }
        };
        harness.startWorker(payments);
        TaskId id = queue.enqueue("pay", "order-1");
        awaitStatus(id, "COMPLETED");
        assertThat(payments.attempts).containsExactly(1, 2);
        assertThat(effects()).containsExactly("order-1");
    }

    /** The commit went through, and its reply was lost with the connection. */
    @Test
    @Tag("F6")
    void lostReplyToTheCommitMeansNoSecondRun() {
        AtomicBoolean lost = new AtomicBoolean();
        DataSourceTransactionManager transactions =
                new DataSourceTransactionManager(harness.testDatabase().dataSource()) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected void doCommit(DefaultTransactionStatus status) {
                        super.doCommit(status);
                        if (!lost.getAndSet(true)) {
                            throw new TransactionSystemException("the reply was lost");
                        }
                    }
                };
        harness.startWorker(
                harness.database(), transactions, UnaryOperator.identity(), QueueHarness.quickRetries(), payments);
        TaskId id = queue.enqueue("pay", "order-1");
        awaitStatus(id, "COMPLETED");
        awaitStatus(queue.enqueue("pay", "order-2"), "COMPLETED");
        assertThat(lost).isTrue();
        assertThat(effects()).containsExactly("order-1", "order-2");
        assertThat(payments.attempts).containsExactly(1, 1);
        assertThat(harness.events()).isEmpty();
    }

    @Test
    void tasksThatTheHandlerEnqueuesCommitWithIt() {
        payments.afterEffect = task -> {
            queue.enqueue(TaskRequest.of("receipt", task.attempt()));
            if (task.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
        };
        harness.startWorker(payments);
        awaitStatus(queue.enqueue("pay", "order-1"), "COMPLETED");
        assertThat(harness.jdbc()
                        .sql("select payload::text from konduit_task where type = 'receipt'")
                        .query(String.class)
                        .list())
                .containsExactly("2");
    }

    @Test
    @Tag("C1")
    @Tag("C2")
    void checkpointInsideTheTransactionGoesWithIt() {
        payments.afterEffect = task -> {
            task.checkpoint("attempt " + task.attempt());
            if (task.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
        };
        harness.startWorker(payments);
        awaitStatus(queue.enqueue("pay", "order-1"), "COMPLETED");
        assertThat(payments.checkpoints).containsExactly(Optional.empty(), Optional.empty());
    }

    @Test
    void payloadThatDoesNotParseFailsForGood() {
        harness.startWorker(payments);
        TaskId id = harness.queue().enqueue("pay", List.of("not", "a", "string")); // a sender without the handler
        awaitStatus(id, "FAILED");
        assertThat(payments.attempts).isEmpty();
    }

    @Test
    @Tag("S9")
    void workerWithoutTransactionManagerDoesNotStart() {
        assertThatExceptionOfType(InvalidJobHandlerException.class)
                .isThrownBy(() -> harness.startWorker(
                        harness.database(), null, UnaryOperator.identity(), QueueHarness.quickRetries(), payments))
                .withMessage(
                        "Handler 'pay' (Payments.pay) is transactional, but there is no single transaction manager for the queue's data source. Define one, or mark one as @Primary.");
    }

    /** On its own connection, outside the handler's transaction. */
    private static void inOtherThread(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
