package io.konduit.queue.host;

import static io.konduit.queue.host.Transactions.required;
import static io.konduit.queue.host.Transactions.requiresNew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Callbacks after a transaction: it has ended, but its connection is still bound to the thread as if it had not. */
@Timeout(60)
class AfterCommitCallbackTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    /** An application by what manages its transactions and whether its pool's connections commit by themselves. */
    enum Flavour {
        JDBC(true),
        JDBC_WITHOUT_COMMIT(false),
        JPA(true),
        JPA_WITHOUT_COMMIT(false);

        final boolean commits;

        Flavour(boolean commits) {
            this.commits = commits;
        }

        ApplicationContextRunner application() {
            ApplicationContextRunner runner = name().startsWith("JPA")
                    ? HostApplication.on(host.database())
                            .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                            .withUserConfiguration(Entities.class)
                    : host.plainJdbc();
            return runner.withUserConfiguration(ScriptedJobs.class)
                    .withPropertyValues("spring.datasource.hikari.auto-commit=" + commits);
        }

        ApplicationContextRunner producer() {
            return application().withPropertyValues("konduit.queue.worker.enabled=false");
        }
    }

    /** When a callback is called. */
    enum Phase {
        AFTER_COMMIT,
        AFTER_COMPLETION,
        AFTER_ROLLBACK
    }

    static Stream<Arguments> flavoursAndPhases() {
        return Stream.of(Flavour.values())
                .flatMap(flavour -> Stream.of(Phase.values()).map(phase -> Arguments.of(flavour, phase)));
    }

    @ParameterizedTest
    @MethodSource("flavoursAndPhases")
    @Tag("S1")
    void whatIsEnqueuedInACallbackIsThereWhenItsIdIsReturned(Flavour flavour, Phase phase) {
        flavour.producer().run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            List<String> seen = new ArrayList<>();
            at(phase, context, () -> {
                seen.add(host.status(queue.enqueue("scripted", null)));
                TaskId unique = queue.enqueue(TaskRequest.of("scripted", null).uniqueKey("k"));
                seen.add(host.status(unique));
                for (int many : new int[] {2, 2_001}) {
                    List<TaskRequest> requests = IntStream.range(0, many)
                            .mapToObj(i -> TaskRequest.of("scripted", i))
                            .toList();
                    seen.add(host.status(queue.enqueueAll(requests).get(many - 1)));
                }
                queue.enqueueAll(List.of(TaskRequest.of("scripted", null).uniqueKey("l")))
                        .forEach(id -> seen.add(host.status(id)));
                seen.add(queue.cancel(unique) + " " + host.status(unique));
            });
            assertThat(seen).containsExactly("PENDING", "PENDING", "PENDING", "PENDING", "PENDING", "true CANCELLED");
            assertThat(host.tasks()).isEqualTo(2_006);
        });
    }

    /** What else the callback does makes no difference. */
    @ParameterizedTest
    @MethodSource("flavoursAndPhases")
    @Tag("S1")
    void whatIsEnqueuedInACallbackIsThereAlsoAfterOtherWorkOfTheCallback(Flavour flavour, Phase phase) {
        flavour.producer().run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            List<String> seen = new ArrayList<>();
            at(phase, context, () -> {
                jdbc(context).queryForObject("select count(*) from account", Long.class);
                seen.add(host.status(queue.enqueue("scripted", null)));
                requiresNew(context).executeWithoutResult(status -> write(context, "apart"));
                seen.add(host.status(queue.enqueue("scripted", null)));
                requiresNew(context).executeWithoutResult(status -> {
                    seen.add(host.status(queue.enqueue("scripted", null)));
                    status.setRollbackOnly();
                });
                seen.add(host.status(queue.enqueue("scripted", null)));
            });
            assertThat(seen).containsExactly("PENDING", "PENDING", "GONE", "PENDING");
            assertThat(host.tasks()).isEqualTo(3);
        });
    }

    /** Its statement there is in nobody's transaction. Whatever becomes of it, it is not for the queue to decide. */
    @ParameterizedTest
    @EnumSource(Flavour.class)
    @Tag("S1")
    void aStatementOfTheApplicationInACallbackIsNotCommittedByAnEnqueue(Flavour flavour) {
        flavour.producer().run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            List<String> seen = new ArrayList<>();
            at(Phase.AFTER_COMMIT, context, () -> {
                write(context, "limbo");
                boolean committed = !host.accounts().equals(List.of("before"));
                seen.add(host.status(queue.enqueue("scripted", null)));
                assertThat(!host.accounts().equals(List.of("before"))).isEqualTo(committed);
            });
            assertThat(seen).containsExactly("PENDING");
        });
    }

    @ParameterizedTest
    @EnumSource(Flavour.class)
    @Tag("S1")
    void anEnqueueInACallbackNeedsNoSecondConnection(Flavour flavour) {
        flavour.producer()
                .withPropertyValues(
                        "spring.datasource.hikari.maximum-pool-size=1",
                        "spring.datasource.hikari.connection-timeout=500")
                .run(context -> {
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    List<String> seen = new ArrayList<>();
                    at(Phase.AFTER_COMMIT, context, () -> {
                        seen.add(host.status(queue.enqueue("scripted", null)));
                        seen.add(host.status(queue.enqueue("scripted", null)));
                    });
                    assertThat(seen).containsExactly("PENDING", "PENDING");
                    assertThat(context.getBean(HikariDataSource.class)
                                    .getHikariPoolMXBean()
                                    .getActiveConnections())
                            .isZero();
                });
    }

    @ParameterizedTest
    @EnumSource(Flavour.class)
    @Tag("S1")
    void anEnqueueInACallbackOfAReadOnlyTransactionIsThere(Flavour flavour) {
        flavour.producer().run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            AtomicReference<String> seen = new AtomicReference<>();
            TransactionTemplate readOnly = required(context);
            readOnly.setReadOnly(true);
            readOnly.executeWithoutResult(status -> {
                jdbc(context).queryForObject("select count(*) from account", Long.class);
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        seen.set(host.status(queue.enqueue("scripted", null)));
                    }
                });
            });
            assertThat(seen).hasValue("PENDING");
        });
    }

    @ParameterizedTest
    @EnumSource(Flavour.class)
    @Tag("C1")
    void aCheckpointInACallbackIsKept(Flavour flavour) {
        flavour.application().run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> {
                at(Phase.AFTER_COMMIT, context, () -> {
                    task.checkpoint("kept");
                    assertThat(task.lastCheckpoint(String.class)).contains("kept");
                });
                throw new IllegalStateException("so that the row stays");
            });
            TaskId task = context.getBean(TaskQueue.class)
                    .enqueue(TaskRequest.of("scripted", null).maxAttempts(1));
            assertThat(jobs.awaitEnd()).hasMessage("so that the row stays");
            host.awaitStatus(task, "FAILED");
            assertThat(host.jdbc()
                            .sql("select checkpoint::text from konduit_task")
                            .query(String.class)
                            .single())
                    .isEqualTo("\"kept\"");
        });
    }

    @ParameterizedTest
    @EnumSource(Flavour.class)
    void workersHearOfATaskThatIsEnqueuedInACallback(Flavour flavour) {
        // they would look for it by themselves after an hour
        flavour.application()
                .withPropertyValues("konduit.queue.worker.poll-interval=1h")
                .run(context -> {
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    host.awaitStatus(queue.enqueue("scripted", null), "COMPLETED");
                    List<TaskId> tasks = new ArrayList<>();
                    at(Phase.AFTER_COMMIT, context, () -> tasks.add(queue.enqueue("scripted", null)));
                    host.awaitStatus(tasks.get(0), "COMPLETED");
                });
    }

    @ParameterizedTest
    @MethodSource("flavoursAndPhases")
    @Tag("F3")
    void newTransactionInACallbackAfterACheckpointKeepsTheReaperAway(Flavour flavour, Phase phase) {
        flavour.application().run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            AtomicReference<TaskContext> running = new AtomicReference<>();
            List<Boolean> taken = new ArrayList<>();
            context.getBean(ConfigurableTransactionManager.class).addListener(new TransactionExecutionListener() {
                @Override
                public void beforeCommit(TransactionExecution transaction) {
                    if (TransactionSynchronizationManager.getCurrentTransactionName() != null) {
                        taken.add(host.reclaimUnlessLocked(running.get().id()));
                    }
                }
            });
            jobs.will(task -> {
                running.set(task);
                TransactionTemplate apart = requiresNew(context);
                apart.setName("apart");
                at(
                        phase,
                        context,
                        () -> task.checkpoint("half"),
                        () -> apart.executeWithoutResult(status -> write(context, "apart")));
            });
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(jobs.awaitEnd()).isNull();
            assertThat(taken).as("taken between the check and the commit").containsExactly(false);
            host.awaitStatus(task, "COMPLETED");
        });
    }

    /** The same when the callback comes before every one of ours. */
    @Test
    @Tag("F3")
    void aLostLeaseIsNoticedInTheFirstOfAllCallbacks() {
        Flavour.JDBC.application().run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            List<Throwable> errors = new ArrayList<>();
            jobs.will(task -> required(context).executeWithoutResult(status -> {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public int getOrder() {
                        return HIGHEST_PRECEDENCE;
                    }

                    @Override
                    public void afterCommit() {
                        host.reclaim(task.id());
                        try {
                            requiresNew(context).executeWithoutResult(inner -> write(context, "zombie"));
                        } catch (RuntimeException e) {
                            errors.add(e);
                        }
                    }
                });
                task.checkpoint("half");
            }));
            context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(jobs.awaitEnd()).isNull();
            assertThat(errors).hasSize(1);
            assertThat(host.accounts()).isEmpty();
            await().untilAsserted(() -> assertThat(host.jdbc()
                            .sql("select count(*) from konduit_task_incident where late_outcome is not null")
                            .query(Long.class)
                            .single())
                    .isEqualTo(1));
        });
    }

    private static void at(Phase phase, AssertableApplicationContext context, Runnable callback) {
        at(phase, context, () -> {}, callback);
    }

    /** Runs a transaction and the callback after it. What the callback throws is thrown. */
    private static void at(Phase phase, AssertableApplicationContext context, Runnable within, Runnable callback) {
        AtomicReference<Throwable> error = new AtomicReference<>();
        Runnable caught = () -> {
            try {
                callback.run();
            } catch (RuntimeException | Error e) {
                error.set(e);
            }
        };
        required(context).executeWithoutResult(status -> {
            write(context, "before");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    if (phase == Phase.AFTER_COMMIT) {
                        caught.run();
                    }
                }

                @Override
                public void afterCompletion(int completion) {
                    if (phase != Phase.AFTER_COMMIT) {
                        caught.run();
                    }
                }
            });
            within.run();
            if (phase == Phase.AFTER_ROLLBACK) {
                status.setRollbackOnly();
            }
        });
        if (error.get() != null) {
            throw new AssertionError("The callback failed", error.get());
        }
    }

    private static JdbcTemplate jdbc(AssertableApplicationContext context) {
        return new JdbcTemplate(context.getBean(HikariDataSource.class));
    }

    private static void write(AssertableApplicationContext context, String owner) {
        jdbc(context)
                .update(
                        "insert into account (id, owner) values ((select count(*) from account) + random() * 1000000, ?)",
                        owner);
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    static class Entities {}
}
