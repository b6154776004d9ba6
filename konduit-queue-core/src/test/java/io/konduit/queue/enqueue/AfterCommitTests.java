package io.konduit.queue.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class AfterCommitTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final List<Set<String>> wakeUps = new ArrayList<>();
    private final TaskQueue queue = queueWith(wakeUps::add);

    private static TaskQueue queueWith(TaskWakeUp... wakeUps) {
        return harness.engine().wakeUps(() -> Stream.of(wakeUps)).build().taskQueue();
    }

    @Test
    void wakesAtOnceWithoutTransaction() {
        queue.enqueue("a", 1);
        queue.enqueueAll(List.of(
                TaskRequest.of("a", 1).queue("x"), TaskRequest.of("a", 1).queue("y")));
        assertThat(wakeUps).containsExactly(Set.of("default"), Set.of("x", "y"));
    }

    @Test
    void wakesOnceAfterTheCommitHoweverManyWereEnqueued() {
        harness.transaction().executeWithoutResult(status -> {
            for (int i = 0; i < 10; i++) {
                queue.enqueue(TaskRequest.of("a", i).queue("q" + i % 3));
            }
            assertThat(wakeUps).isEmpty();
        });
        assertThat(wakeUps).containsExactly(Set.of("q0", "q1", "q2"));
    }

    @Test
    void wakesNobodyAfterARollback() {
        harness.transaction().executeWithoutResult(status -> {
            queue.enqueue("a", 1);
            status.setRollbackOnly();
        });
        assertThat(wakeUps).isEmpty();
    }

    @Test
    void whatWasRolledBackToASavepointIsNeitherCountedNorWoken() {
        List<String> counted = new ArrayList<>();
        TaskQueue own = harness.engine()
                .wakeUps(() -> Stream.of(wakeUps::add))
                .enqueueMonitor(() -> (queue, type, tasks) -> counted.add(queue + " " + tasks))
                .build()
                .taskQueue();
        TransactionTemplate nested = harness.transaction();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        harness.transaction().executeWithoutResult(outer -> {
            nested.executeWithoutResult(inner -> {
                own.enqueue(TaskRequest.of("a", 1).queue("first"));
                inner.setRollbackOnly();
            });
            own.enqueue(TaskRequest.of("a", 1).queue("kept"));
            nested.executeWithoutResult(
                    inner -> own.enqueue(TaskRequest.of("a", 1).queue("kept")));
            nested.executeWithoutResult(inner -> {
                own.enqueue(TaskRequest.of("a", 1).queue("kept"));
                nested.executeWithoutResult(
                        innermost -> own.enqueue(TaskRequest.of("a", 1).queue("undone")));
                inner.setRollbackOnly();
            });
            own.enqueue(TaskRequest.of("a", 1).queue("last"));
        });
        assertThat(counted).containsExactlyInAnyOrder("kept 2", "last 1");
        assertThat(wakeUps).containsExactly(Set.of("kept", "last"));
    }

    @Test
    void innerTransactionWakesByItself() {
        TransactionTemplate inner = harness.transaction();
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        harness.transaction().executeWithoutResult(status -> {
            queue.enqueue(TaskRequest.of("a", 1).queue("outer"));
            inner.executeWithoutResult(
                    nested -> queue.enqueue(TaskRequest.of("a", 1).queue("inner")));
            assertThat(wakeUps).containsExactly(Set.of("inner"));
        });
        assertThat(wakeUps).containsExactly(Set.of("inner"), Set.of("outer"));
    }

    /** Nobody calls a callback that is registered in a callback. */
    @Test
    void wakesAtOnceInACallbackAfterTheCommit() {
        DataSourceTransactionManager manager = harness.transactionManager();
        manager.addListener(harness.database().endedTransactions());
        new TransactionTemplate(manager).executeWithoutResult(status -> {
            queue.enqueue(TaskRequest.of("a", 1).queue("within"));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    wakeUps.clear();
                    queue.enqueue(TaskRequest.of("a", 1).queue("after"));
                    assertThat(wakeUps).containsExactly(Set.of("after"));
                    queue.enqueueAll(List.of(TaskRequest.of("a", 1).queue("all")));
                }

                @Override
                public void afterCompletion(int completion) {
                    queue.enqueue(TaskRequest.of("a", 1).queue("completed"));
                }
            });
        });
        assertThat(wakeUps).containsExactly(Set.of("after"), Set.of("all"), Set.of("completed"));
    }

    /** The task is there whatever becomes of that transaction. */
    @Test
    void wakesAtOnceInATransactionOnAnotherDataSource() {
        try (HikariDataSource other = harness.testDatabase().newPool(1)) {
            new TransactionTemplate(new DataSourceTransactionManager(other)).executeWithoutResult(status -> {
                queue.enqueue("a", 1);
                assertThat(wakeUps).containsExactly(Set.of("default"));
                status.setRollbackOnly();
            });
        }
    }

    /** Of such a manager nobody hears that a transaction has ended. */
    @Test
    void wakesInTheEndAlsoWhenTheTransactionManagerHasNoListener() {
        harness.transaction()
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                queue.enqueue("a", 1);
                            }
                        }));
        assertThat(wakeUps).containsExactly(Set.of("default"));
    }

    @Test
    void wakesNobodyForWhatIsNotDueOrNotNew() {
        queue.enqueue(TaskRequest.of("a", 1).delay(Duration.ofHours(1)).uniqueKey("k"));
        queue.enqueue(TaskRequest.of("a", 1).uniqueKey("k"));
        assertThat(wakeUps).isEmpty();
    }

    @Test
    void failingWakeUpHarmsNeitherTheCallerNorTheOthers() {
        TaskQueue own = queueWith(
                queues -> {
                    throw new IllegalStateException("no");
                },
                wakeUps::add);
        TaskId id = harness.transaction().execute(status -> own.enqueue("a", 1));
        assertThat(wakeUps).hasSize(1);
        assertThat(harness.status(id)).isEqualTo("PENDING");
    }
}
