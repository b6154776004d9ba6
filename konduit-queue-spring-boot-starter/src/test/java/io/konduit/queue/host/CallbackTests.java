package io.konduit.queue.host;

import static io.konduit.queue.host.Transactions.required;
import static io.konduit.queue.host.Transactions.requiresNew;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Callbacks around the end of one transaction, while it or another one is still open. */
@Timeout(60)
class CallbackTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    /**
     * Spring answers an UnexpectedRollbackException of a before-commit callback with STATUS_ROLLED_BACK although nobody
     * has rolled back; then cleanup switches auto-commit on and the driver commits.
     */
    @Test
    @Tag("F3")
    void zombieWhoseBeforeCommitCallbackMeetsARollbackCommitsNothing() {
        host.plainJdbc().withUserConfiguration(ScriptedJobs.class).run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> required(context).executeWithoutResult(status -> {
                write(context, "zombie");
                host.reclaim(task.id());
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        // a service with REQUIRES_NEW that calls another one, which fails, and catches its exception
                        requiresNew(context).executeWithoutResult(outer -> {
                            try {
                                required(context).executeWithoutResult(inner -> {
                                    throw new IllegalStateException("refused");
                                });
                            } catch (IllegalStateException e) {
                                // goes on without it
                            }
                        });
                    }
                });
            }));
            context.getBean(TaskQueue.class)
                    .enqueue(TaskRequest.of("scripted", null).maxAttempts(1));
            assertThat(jobs.awaitEnd()).isInstanceOf(UnexpectedRollbackException.class);
            assertThat(host.accounts()).isEmpty();
        });
    }

    /** The same with the lease held: the attempt failed, was told to be rolled back, and its write is there. */
    @Test
    @Tag("F3")
    void aFailedAttemptWithAnUnexpectedRollbackBeforeCommitLeavesNothing() {
        host.plainJdbc().withUserConfiguration(ScriptedJobs.class).run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> required(context).executeWithoutResult(status -> {
                write(context, "attempt " + task.attempt());
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        throw new UnexpectedRollbackException("of another transaction");
                    }
                });
            }));
            TaskId task = context.getBean(TaskQueue.class)
                    .enqueue(TaskRequest.of("scripted", null).maxAttempts(3));
            host.awaitStatus(task, "FAILED");
            assertThat(host.accounts()).isEmpty();
        });
    }

    /** An application's listener that comes after ours enqueues before the commit, and then the commit fails. */
    @Test
    @Tag("S1")
    void whatAListenerEnqueuesBeforeTheCommitIsPartOfTheTransaction() {
        host.plainJdbc()
                .withUserConfiguration(ScriptedJobs.class)
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .run(context -> {
                    AtomicReference<TaskId> id = new AtomicReference<>();
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    context.getBean(ConfigurableTransactionManager.class)
                            .addListener(new TransactionExecutionListener() {
                                @Override
                                public void beforeCommit(TransactionExecution transaction) {
                                    id.set(queue.enqueue("scripted", null));
                                    throw new IllegalStateException("refused");
                                }
                            });
                    try {
                        required(context).executeWithoutResult(status -> write(context, "x"));
                    } catch (IllegalStateException e) {
                        // as it should
                    }
                    assertThat(host.accounts()).isEmpty();
                    assertThat(host.tasks()).isZero();
                });
    }

    /** The transaction on another data source has ended; the one on the queue's around it has not. */
    @Test
    @Tag("S1")
    void enqueueInACallbackOfATransactionElsewhereJoinsTheOpenOneAroundIt() {
        host.plainJdbc()
                .withUserConfiguration(ScriptedJobs.class)
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .run(context -> {
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    TransactionTemplate elsewhere = new TransactionTemplate(
                            new DataSourceTransactionManager(host.database().dataSource()));
                    required(context).executeWithoutResult(outer -> {
                        write(context, "rolled back");
                        elsewhere.executeWithoutResult(
                                inner -> TransactionSynchronizationManager.registerSynchronization(
                                        new TransactionSynchronization() {
                                            @Override
                                            public void afterCompletion(int status) {
                                                queue.enqueue("scripted", null);
                                            }
                                        }));
                        outer.setRollbackOnly();
                    });
                    assertThat(host.accounts()).isEmpty();
                    assertThat(host.tasks())
                            .as("tasks of a transaction that was rolled back")
                            .isZero();
                });
    }

    /** The same when the open one has only read: its snapshot and its locks would end with a commit. */
    @Test
    @Tag("S1")
    void anOpenTransactionThatHasOnlyReadIsNotCommittedByAnEnqueue() {
        host.plainJdbc()
                .withUserConfiguration(ScriptedJobs.class)
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .run(context -> {
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    JdbcTemplate jdbc = new JdbcTemplate(context.getBean(HikariDataSource.class));
                    TransactionTemplate elsewhere = new TransactionTemplate(
                            new DataSourceTransactionManager(host.database().dataSource()));
                    AtomicReference<Long> locks = new AtomicReference<>();
                    required(context).executeWithoutResult(outer -> {
                        jdbc.queryForList("select pg_advisory_xact_lock(4711)");
                        elsewhere.executeWithoutResult(
                                inner -> TransactionSynchronizationManager.registerSynchronization(
                                        new TransactionSynchronization() {
                                            @Override
                                            public void afterCompletion(int status) {
                                                queue.enqueue("scripted", null);
                                            }
                                        }));
                        locks.set(host.jdbc()
                                .sql("select count(*) from pg_locks where locktype = 'advisory' and objid = 4711")
                                .query(Long.class)
                                .single());
                    });
                    assertThat(locks)
                            .as("the application's lock in its open transaction")
                            .hasValue(1L);
                });
    }

    /** In a callback after an inner transaction every other one looks ended, also the suspended one that has the row. */
    @Test
    @Tag("F3")
    @Tag("C1")
    void checkpointInACallbackOfAnInnerTransactionDoesNotWaitForItsOwnThread() {
        host.plainJdbc().withUserConfiguration(ScriptedJobs.class).run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            AtomicReference<Throwable> refused = new AtomicReference<>();
            jobs.will(task -> required(context).executeWithoutResult(outer -> {
                task.checkpoint("outer");
                requiresNew(context).executeWithoutResult(inner -> {
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCompletion(int status) {
                            try {
                                task.checkpoint("inner");
                            } catch (RuntimeException e) {
                                refused.set(e);
                            }
                        }
                    });
                });
            }));
            context.getBean(TaskQueue.class)
                    .enqueue(TaskRequest.of("scripted", null).maxAttempts(1));
            try {
                assertThat(jobs.awaitEnd()).isNull();
                assertThat(refused.get()).isInstanceOf(IllegalStateException.class);
            } finally {
                host.endWaits();
            }
        });
    }

    /** A callback reads rows in portions and enqueues one task for each. */
    @Test
    @Tag("S1")
    void anEnqueueInACallbackLeavesAnOpenCursorOfTheApplicationAlone() {
        host.plainJdbc()
                .withUserConfiguration(ScriptedJobs.class)
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .run(context -> {
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    AtomicReference<Throwable> failure = new AtomicReference<>();
                    required(context).executeWithoutResult(status -> {
                        for (int i = 0; i < 100; i++) {
                            write(context, i, "a" + i);
                        }
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                JdbcTemplate portions = new JdbcTemplate(context.getBean(HikariDataSource.class));
                                portions.setFetchSize(10);
                                try {
                                    portions.query("select id from account", row -> {
                                        queue.enqueue("scripted", row.getLong(1));
                                    });
                                } catch (RuntimeException e) {
                                    failure.set(e);
                                }
                            }
                        });
                    });
                    assertThat(failure.get()).isNull();
                    assertThat(host.tasks()).isEqualTo(100);
                });
    }

    private static void write(AssertableApplicationContext context, String owner) {
        new JdbcTemplate(context.getBean(HikariDataSource.class))
                .update("insert into account (id, owner) values (random() * 1000000000, ?)", owner);
    }

    private static void write(AssertableApplicationContext context, long id, String owner) {
        new JdbcTemplate(context.getBean(HikariDataSource.class))
                .update("insert into account (id, owner) values (?, ?)", id, owner);
    }
}
