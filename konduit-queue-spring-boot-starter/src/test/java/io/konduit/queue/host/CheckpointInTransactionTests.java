package io.konduit.queue.host;

import static io.konduit.queue.host.Transactions.nested;
import static io.konduit.queue.host.Transactions.required;
import static io.konduit.queue.host.Transactions.requiresNew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;

/** A checkpoint locks the task's row, and so must not meet another connection of its own thread. */
@Tag("F3")
@Tag("C1")
class CheckpointInTransactionTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc().withUserConfiguration(ScriptedJobs.class);

    @Test
    void aNewTransactionAfterACheckpointDoesNotWaitForIt() {
        application.run(context -> {
            JdbcClient jdbc = context.getBean(JdbcClient.class);
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> required(manager).executeWithoutResult(outer -> {
                task.checkpoint("half");
                requiresNew(manager).executeWithoutResult(inner -> write(jdbc, 1, "apart"));
                write(jdbc, 2, "within");
            }));
            host.awaitStatus(context.getBean(TaskQueue.class).enqueue("scripted", null), "COMPLETED");
            assertThat(host.accounts()).containsExactly("apart", "within");
        });
    }

    @Test
    void aCheckpointInANewTransactionAfterOneInTheSuspendedTransactionIsRefused() {
        application.run(context -> {
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> required(manager).executeWithoutResult(outer -> {
                task.checkpoint("outer");
                requiresNew(manager).executeWithoutResult(inner -> task.checkpoint("inner"));
            }));
            context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(jobs.awaitEnd())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Checkpoint in one of the two transactions, not in both.");
        });
    }

    @Test
    void aCheckpointThatWasRolledBackIsNotRemembered() {
        application.run(context -> {
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> {
                required(manager).executeWithoutResult(outer -> {
                    task.checkpoint("kept");
                    nested(manager).executeWithoutResult(inner -> {
                        task.checkpoint("undone");
                        inner.setRollbackOnly();
                    });
                });
                assertThat(task.lastCheckpoint(String.class)).contains("kept");
                required(manager).executeWithoutResult(outer -> {
                    task.checkpoint("undone too");
                    outer.setRollbackOnly();
                });
                assertThat(task.lastCheckpoint(String.class)).contains("kept");
                throw new IllegalStateException("so that the row stays");
            });
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(jobs.awaitEnd()).hasMessage("so that the row stays");
            assertThat(checkpoint(task)).isEqualTo("\"kept\"");
        });
    }

    /** The rollback has given the row free, so that the reaper may be about to take it. */
    @Test
    @Timeout(60)
    void newTransactionAfterACheckpointUndoneBySavepointWaitsForAReclaim() {
        application.run(context -> {
            JdbcClient jdbc = context.getBean(JdbcClient.class);
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> required(manager).executeWithoutResult(outer -> {
                nested(manager).executeWithoutResult(inner -> {
                    task.checkpoint("undone");
                    inner.setRollbackOnly();
                });
                reclaimWhenAwaited(task.id());
                requiresNew(manager).executeWithoutResult(inner -> write(jdbc, 1, "zombie"));
            }));
            context.getBean(TaskQueue.class)
                    .enqueue(TaskRequest.of("scripted", null).maxAttempts(1));
            assertThat(jobs.awaitEnd()).isInstanceOf(LeaseLostException.class);
            assertThat(host.accounts()).isEmpty();
        });
    }

    /** Takes the task away in a transaction that commits when somebody waits for it. */
    private static void reclaimWhenAwaited(TaskId task) {
        CountDownLatch taken = new CountDownLatch(1);
        CompletableFuture.runAsync(() -> {
            try (Connection reaper = host.database().connect()) {
                reaper.setAutoCommit(false);
                host.reclaim(reaper, task);
                taken.countDown();
                await().until(host::isAnybodyWaiting);
                reaper.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        try {
            assertThat(taken.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aCheckpointBeforeASavepointOutlivesItsRollback() {
        application.run(context -> {
            PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> {
                required(manager).executeWithoutResult(outer -> {
                    nested(manager).executeWithoutResult(inner -> task.checkpoint("kept"));
                    nested(manager).executeWithoutResult(inner -> inner.setRollbackOnly());
                });
                assertThat(task.lastCheckpoint(String.class)).contains("kept");
            });
            host.awaitStatus(context.getBean(TaskQueue.class).enqueue("scripted", null), "COMPLETED");
        });
    }

    private static String checkpoint(TaskId task) {
        return host.jdbc()
                .sql("select checkpoint::text from konduit_task where id = :id")
                .param("id", task.value())
                .query(String.class)
                .single();
    }

    private static void write(JdbcClient jdbc, long id, String owner) {
        jdbc.sql("insert into account (id, owner) values (?, ?)")
                .params(id, owner)
                .update();
    }
}
