package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.LeaseLostException;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionTimedOutException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactions of a handler that have a time limit. Spring commits what a {@code TransactionException} before the commit
 * should have stopped, so neither the fence nor anybody else may end such a transaction in that way.
 */
@Tag("F3")
@Timeout(60)
class TimeLimitTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    /** An application by what manages its transactions. */
    private record Flavour(String name, ApplicationContextRunner application) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Flavour> flavours() {
        ApplicationContextRunner jdbc = host.plainJdbc()
                .withConfiguration(AutoConfigurations.of(TransactionManagerCustomizationAutoConfiguration.class))
                .withUserConfiguration(ScriptedJobs.class);
        return Stream.of(
                new Flavour("JDBC", jdbc.withPropertyValues("spring.transaction.default-timeout=5s")),
                new Flavour(
                        "JDBC without commit",
                        jdbc.withPropertyValues(
                                "spring.transaction.default-timeout=5s", "spring.datasource.hikari.auto-commit=false")),
                new Flavour("as jOOQ", jdbc.withUserConfiguration(AsJooq.class)),
                new Flavour(
                        "JPA",
                        HostApplication.on(host.database())
                                .withConfiguration(AutoConfigurations.of(
                                        TransactionManagerCustomizationAutoConfiguration.class,
                                        HibernateJpaAutoConfiguration.class))
                                .withUserConfiguration(Entities.class, ScriptedJobs.class)
                                .withPropertyValues("spring.transaction.default-timeout=5s")));
    }

    @ParameterizedTest
    @MethodSource("flavours")
    void aLostLeaseRollsBackAlsoWhenTheTimeIsOver(Flavour flavour) {
        flavour.application.run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> transaction(context).executeWithoutResult(status -> {
                write(context, "zombie");
                letTimePass(context);
                host.reclaim(task.id());
            }));
            context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(jobs.awaitEnd()).isInstanceOf(LeaseLostException.class);
            assertThat(host.accounts()).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("flavours")
    void aHeldLeaseMeansOneRunAndOneEffectAlsoWhenTheTimeIsOver(Flavour flavour) {
        flavour.application.run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> transaction(context).executeWithoutResult(status -> {
                write(context, "attempt " + task.attempt());
                letTimePass(context);
            }));
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.accounts()).containsExactly("attempt 1");
        });
    }

    @ParameterizedTest
    @MethodSource("flavours")
    @Tag("F4")
    void aTransactionalHandlerIsCompletedWithItsEffectAlsoWhenTheTimeIsOver(Flavour flavour) {
        flavour.application.run(context -> {
            context.getBean(ScriptedJobs.class).will(task -> {
                write(context, "attempt " + task.attempt());
                letTimePass(context);
            });
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted.transactional", null);
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.accounts()).containsExactly("attempt 1");
        });
    }

    @ParameterizedTest
    @MethodSource("flavours")
    @Tag("F4")
    void aTransactionalHandlerThatLostItsLeaseIsRolledBackAlsoWhenTheTimeIsOver(Flavour flavour) {
        flavour.application.run(context -> {
            context.getBean(ScriptedJobs.class).will(task -> {
                write(context, "zombie");
                letTimePass(context);
                host.reclaim(task.id());
            });
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted.transactional", null);
            await().untilAsserted(() -> assertThat(host.lateOutcomes(task)).containsExactly("FAILED"));
            assertThat(host.accounts()).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("flavours")
    void aCheckpointingTransactionIsCommittedAlsoWhenTheTimeIsOver(Flavour flavour) {
        flavour.application.run(context -> {
            context.getBean(ScriptedJobs.class)
                    .will(task -> transaction(context).executeWithoutResult(status -> {
                        task.checkpoint("half");
                        write(context, "attempt " + task.attempt());
                        letTimePass(context);
                    }));
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.accounts()).containsExactly("attempt 1");
        });
    }

    /** The application's own statement runs out of time before the fence is asked, and Spring would commit. */
    @ParameterizedTest
    @MethodSource("flavours")
    void zombieWhoseCallbackRunsOutOfTimeBeforeTheCommitCommitsNothing(Flavour flavour) {
        flavour.application.run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            jobs.will(task -> transaction(context).executeWithoutResult(status -> {
                write(context, "zombie");
                host.reclaim(task.id());
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        letTimePass(context);
                        throw new TransactionTimedOutException("as a statement of the application would");
                    }
                });
            }));
            context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(jobs.awaitEnd()).isInstanceOf(TransactionTimedOutException.class);
            assertThat(host.accounts()).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("flavours")
    @Tag("S1")
    void anEnqueueInACallbackIsThereAlsoWhenTheTimeIsOver(Flavour flavour) {
        flavour.application
                .withPropertyValues("konduit.queue.worker.enabled=false")
                .run(context -> {
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    List<String> seen = new ArrayList<>();
                    transaction(context).executeWithoutResult(status -> {
                        write(context, "before");
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                letTimePass(context);
                                seen.add(host.status(queue.enqueue("scripted", null)));
                            }
                        });
                    });
                    assertThat(seen).containsExactly("PENDING");
                });
    }

    @Test
    void anAnnotatedHandlerWithATimeLimitIsCompletedOnce() {
        host.plainJdbc().withUserConfiguration(ScriptedJobs.class).run(context -> {
            context.getBean(ScriptedJobs.class).will(task -> {
                write(context, "attempt " + task.attempt());
                letTimePass(context);
            });
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted.limited", null);
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.accounts()).containsExactly("attempt 1");
        });
    }

    /** Lets the transaction's deadline pass. */
    private static void letTimePass(AssertableApplicationContext context) {
        ConnectionHolder holder =
                (ConnectionHolder) TransactionSynchronizationManager.getResource(context.getBean(DataSource.class));
        assertThat(Objects.requireNonNull(holder).hasTimeout()).isTrue();
        holder.setTimeoutInMillis(-1);
    }

    private static TransactionTemplate transaction(AssertableApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static void write(AssertableApplicationContext context, String owner) {
        DataSource dataSource = context.getBean(DataSource.class);
        boolean asJooq = context.getBeansOfType(AsJooq.class).size() == 1;
        new JdbcTemplate(asJooq ? new TransactionAwareDataSourceProxy(dataSource) : dataSource)
                .update("insert into account (id, owner) select count(*), ? from account", owner);
    }

    @Configuration(proxyBeanMethods = false)
    static class AsJooq {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
            manager.setDefaultTimeout(5);
            return manager;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    static class Entities {}
}
