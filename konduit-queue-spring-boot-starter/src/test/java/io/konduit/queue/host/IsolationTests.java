package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.recovery.OrphanReclaimer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactions of a handler that see the database as it was when they began. The row of their task changes under them
 * whenever its lease is extended, and PostgreSQL lets nobody lock a row that has changed since.
 */
@Tag("F3")
@Timeout(90)
class IsolationTests {
    private static final String REPEATABLE_READ_BY_DEFAULT =
            "spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ";

    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private static ApplicationContextRunner jdbc() {
        return host.plainJdbc().withUserConfiguration(ScriptedJobs.class);
    }

    private static ApplicationContextRunner jpa() {
        return HostApplication.on(host.database())
                .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                .withUserConfiguration(Entities.class, ScriptedJobs.class);
    }

    static Stream<Arguments> applicationsAndLevels() {
        return Stream.of(TransactionDefinition.ISOLATION_REPEATABLE_READ, TransactionDefinition.ISOLATION_SERIALIZABLE)
                .flatMap(level -> Stream.of(Arguments.of("JDBC", level), Arguments.of("JPA", level)));
    }

    private static ApplicationContextRunner application(String name) {
        return name.equals("JPA") ? jpa() : jdbc();
    }

    @ParameterizedTest
    @MethodSource("applicationsAndLevels")
    void commitsAlsoWhenTheLeaseWasExtendedMeanwhile(String name, int level) {
        application(name).run(context -> {
            context.getBean(ScriptedJobs.class)
                    .will(task -> transaction(context, level).executeWithoutResult(status -> {
                        look(context);
                        extend(task);
                        write(context, "attempt " + task.attempt());
                    }));
            assertCompletedByTheFirstAttempt(context, "scripted");
        });
    }

    @ParameterizedTest
    @MethodSource("applicationsAndLevels")
    void commitsAlsoAfterACheckpoint(String name, int level) {
        application(name).run(context -> {
            context.getBean(ScriptedJobs.class).will(task -> {
                extend(task);
                transaction(context, level).executeWithoutResult(status -> {
                    look(context);
                    extend(task);
                    task.checkpoint("half");
                    write(context, "attempt " + task.attempt());
                });
            });
            assertCompletedByTheFirstAttempt(context, "scripted");
        });
    }

    @ParameterizedTest
    @MethodSource("applicationsAndLevels")
    void aLeaseThatWasLostBeforeRollsBack(String name, int level) {
        application(name).run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> {
                host.reclaim(task.id());
                transaction(context, level).executeWithoutResult(status -> write(context, "zombie"));
            });
            context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(jobs.awaitEnd()).isInstanceOf(LeaseLostException.class);
            assertThat(host.accounts()).isEmpty();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"JDBC", "JPA"})
    void theReaperLeavesTheTaskOfSuchATransactionAlone(String name) {
        application(name).run(context -> {
            List<Boolean> taken = new ArrayList<>();
            context.getBean(ScriptedJobs.class)
                    .will(task -> transaction(context, TransactionDefinition.ISOLATION_REPEATABLE_READ)
                            .executeWithoutResult(status -> {
                                write(context, "attempt " + task.attempt());
                                taken.add(host.reclaimUnlessLocked(task.id()));
                            }));
            assertCompletedByTheFirstAttempt(context, "scripted");
            assertThat(taken).containsExactly(false);
        });
    }

    @Test
    void aTransactionOfSeveralLeasesCommitsAndIsNotRunTwice() {
        jdbc().withPropertyValues(
                        "konduit.queue.lock-timeout=1s",
                        "konduit.queue.worker.heartbeat-interval=300ms",
                        "konduit.queue.reaper-interval=300ms")
                .run(context -> {
                    OrphanReclaimer reaper = context.getBean(OrphanReclaimer.class);
                    context.getBean(ScriptedJobs.class)
                            .will(task -> transaction(context, TransactionDefinition.ISOLATION_REPEATABLE_READ)
                                    .executeWithoutResult(status -> {
                                        look(context);
                                        awaitEndOfLease(task, Duration.ofSeconds(1));
                                        assertThat(reaper.reclaimOnce().total()).isZero();
                                        write(context, "attempt " + task.attempt());
                                    }));
                    assertCompletedByTheFirstAttempt(context, "scripted");
                    assertThat(host.jdbc()
                                    .sql("select count(*) from konduit_task_incident")
                                    .query(Long.class)
                                    .single())
                            .isZero();
                });
    }

    @Test
    void aLeaseIsFreshAfterALongTransaction() {
        jdbc().run(context -> {
            List<Boolean> fresh = new ArrayList<>();
            context.getBean(ScriptedJobs.class).will(task -> {
                host.jdbc()
                        .sql("update konduit_task set lock_timeout_at = clock_timestamp() - interval '1 min'")
                        .update();
                transaction(context, TransactionDefinition.ISOLATION_REPEATABLE_READ)
                        .executeWithoutResult(status -> write(context, "attempt " + task.attempt()));
                fresh.add(host.jdbc()
                        .sql("select lock_timeout_at > clock_timestamp() + interval '4 min' from konduit_task")
                        .query(Boolean.class)
                        .single());
            });
            assertCompletedByTheFirstAttempt(context, "scripted");
            assertThat(fresh).containsExactly(true);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"JDBC", "JPA"})
    @Tag("F4")
    void aTransactionalHandlerIsCompletedWhereSuchTransactionsAreTheDefault(String name) {
        application(name).withPropertyValues(REPEATABLE_READ_BY_DEFAULT).run(context -> {
            context.getBean(ScriptedJobs.class).will(task -> {
                look(context);
                extend(task);
                write(context, "attempt " + task.attempt());
            });
            assertCompletedByTheFirstAttempt(context, "scripted.transactional");
        });
    }

    @Test
    void theDefaultOfTheDatabaseCountsToo() {
        host.database()
                .execute("alter database " + host.database().name()
                        + " set default_transaction_isolation = 'repeatable read'");
        try {
            jdbc().run(context -> {
                context.getBean(ScriptedJobs.class).will(task -> {
                    look(context);
                    extend(task);
                    write(context, "attempt " + task.attempt());
                });
                assertCompletedByTheFirstAttempt(context, "scripted.annotated");
            });
        } finally {
            host.database()
                    .execute("alter database " + host.database().name() + " reset default_transaction_isolation");
        }
    }

    @Test
    void aNewTransactionInsideIsCheckedByItselfAndDoesNotWait() {
        jdbc().run(context -> {
            TransactionTemplate apart = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            TransactionTemplate apartAndRepeatable =
                    transaction(context, TransactionDefinition.ISOLATION_REPEATABLE_READ);
            apartAndRepeatable.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            context.getBean(ScriptedJobs.class).will(task -> {
                transaction(context, TransactionDefinition.ISOLATION_REPEATABLE_READ)
                        .executeWithoutResult(outer -> {
                            apart.executeWithoutResult(inner -> write(context, "1"));
                            apartAndRepeatable.executeWithoutResult(inner -> write(context, "2"));
                            write(context, "3");
                        });
                apart.executeWithoutResult(outer -> {
                    apartAndRepeatable.executeWithoutResult(inner -> write(context, "4"));
                    extend(task);
                });
                extend(task);
            });
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.accounts()).containsExactlyInAnyOrder("1", "2", "3", "4");
        });
    }

    @Test
    @Tag("C1")
    void aCheckpointInANewTransactionInsideIsRefusedAndDoesNotWait() {
        jdbc().run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            TransactionTemplate apart = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            apart.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            jobs.will(task -> transaction(context, TransactionDefinition.ISOLATION_REPEATABLE_READ)
                    .executeWithoutResult(outer -> apart.executeWithoutResult(inner -> task.checkpoint("inner"))));
            context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(jobs.awaitEnd())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("its isolation is above READ COMMITTED");
        });
    }

    /** Nothing of another run of the test, and no second try. */
    private static void assertCompletedByTheFirstAttempt(AssertableApplicationContext context, String type) {
        TaskId task = context.getBean(TaskQueue.class).enqueue(type, null);
        host.awaitStatus(task, "COMPLETED");
        assertThat(host.accounts()).containsExactly("attempt 1");
    }

    /** As the worker does it: leaves a row alone that somebody has locked. */
    private static void extend(TaskContext task) {
        host.jdbc()
                .sql("update konduit_task set lock_timeout_at = clock_timestamp() + interval '5 min' where id ="
                        + " (select id from konduit_task where id = :id for no key update skip locked)")
                .param("id", task.id().value())
                .update();
    }

    /** Waits until what others see of the lease has ended this long ago. */
    private static void awaitEndOfLease(TaskContext task, Duration ago) {
        await().until(() -> host.jdbc()
                .sql(
                        "select lock_timeout_at < clock_timestamp() - :ms * interval '1 ms' from konduit_task where id = :id")
                .param("ms", ago.toMillis())
                .param("id", task.id().value())
                .query(Boolean.class)
                .single());
    }

    private static void look(AssertableApplicationContext context) {
        new JdbcTemplate(context.getBean(DataSource.class)).queryForObject("select count(*) from account", Long.class);
    }

    private static void write(AssertableApplicationContext context, String owner) {
        new JdbcTemplate(context.getBean(DataSource.class))
                .update("insert into account (id, owner) values (random() * 1000000, ?)", owner);
    }

    private static TransactionTemplate transaction(AssertableApplicationContext context, int level) {
        TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        template.setIsolationLevel(level);
        return template;
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    static class Entities {}
}
