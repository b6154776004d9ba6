package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.LeaseLostException;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.autoconfigure.KonduitQueueDataSource;
import io.konduit.queue.test.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application whose main database is another one than the queue's. */
@Tag("S1")
class TwoDataSourcesTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private static TestDatabase main;

    private final ApplicationContextRunner application =
            host.plainJdbc().withUserConfiguration(ScriptedJobs.class, Marked.class);

    @BeforeAll
    static void createTheMainDatabase() {
        main = TestDatabase.create();
        main.execute("create table account (id bigint primary key, owner text not null)");
    }

    @BeforeEach
    void emptyIt() {
        main.execute("truncate account");
    }

    @AfterAll
    static void dropIt() {
        main.close();
    }

    @Test
    void theQueueIsInTheMarkedOneOnly() {
        application.run(context -> {
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            host.awaitStatus(task, "COMPLETED");
            assertThat(onMain().sql("select count(*) from information_schema.tables where table_name like 'konduit%'")
                            .query(Long.class)
                            .single())
                    .isZero();
        });
    }

    @Test
    void enqueueJoinsATransactionOnTheMarkedOneOnly() {
        application.run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            TaskId rolledBack = transaction(context.getBean("queueTransactions", JdbcTransactionManager.class))
                    .execute(status -> {
                        status.setRollbackOnly();
                        return queue.enqueue("scripted", null);
                    });
            assertThat(host.status(rolledBack)).isEqualTo("GONE");
            TaskId kept = transaction(context.getBean("mainTransactions", JdbcTransactionManager.class))
                    .execute(status -> {
                        status.setRollbackOnly();
                        return queue.enqueue("scripted", null);
                    });
            host.awaitStatus(kept, "COMPLETED");
        });
    }

    @Test
    @Tag("F4")
    void aTransactionalHandlerUsesTheManagerOfTheMarkedOne() {
        application.run(context -> {
            HikariDataSource queueDatabase = context.getBean("queueDatabase", HikariDataSource.class);
            context.getBean(ScriptedJobs.class).will(task -> {
                JdbcClient.create(queueDatabase)
                        .sql("insert into account values (:id, 'attempt')")
                        .param("id", task.attempt())
                        .update();
                if (task.attempt() == 1) {
                    throw new IllegalStateException("the first attempt fails");
                }
            });
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted.transactional", null);
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.jdbc()
                            .sql("select id from account")
                            .query(Long.class)
                            .list())
                    .containsExactly(2L);
        });
    }

    @Test
    @Tag("F3")
    void transactionOnTheOtherDataSourceIsLeftAloneAlsoInsideOneOnTheQueues() {
        application.run(context -> {
            ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
            HikariDataSource mainDatabase = context.getBean("mainDatabase", HikariDataSource.class);
            HikariDataSource queueDatabase = context.getBean("queueDatabase", HikariDataSource.class);
            TransactionTemplate onMain = transaction(context.getBean("mainTransactions", JdbcTransactionManager.class));
            TransactionTemplate onQueue =
                    transaction(context.getBean("queueTransactions", JdbcTransactionManager.class));
            jobs.will(task -> {
                host.reclaim(task.id());
                onMain.executeWithoutResult(status -> insert(mainDatabase, 1, "alone"));
                onQueue.executeWithoutResult(outer -> {
                    insert(queueDatabase, 1, "zombie");
                    onMain.executeWithoutResult(inner -> insert(mainDatabase, 2, "inside"));
                });
            });
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            assertThat(jobs.awaitEnd()).isInstanceOf(LeaseLostException.class);
            assertThat(host.accounts()).isEmpty();
            assertThat(onMain().sql("select owner from account order by id")
                            .query(String.class)
                            .list())
                    .containsExactly("alone", "inside");
            await().untilAsserted(() -> assertThat(host.lateOutcomes(task)).isEqualTo(List.of("FAILED")));
        });
    }

    @Test
    void thePrimaryOneIsUsedWhenNoneIsMarked() {
        host.plainJdbc()
                .withUserConfiguration(ScriptedJobs.class, OnePrimary.class)
                .run(context -> {
                    TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
                    host.awaitStatus(task, "COMPLETED");
                });
    }

    @Test
    @Tag("S5")
    void twoMarksAreRefused() {
        host.plainJdbc()
                .withUserConfiguration(TwoMarks.class)
                .run(
                        context -> assertThat(context)
                                .getFailure()
                                .hasRootCauseInstanceOf(InvalidSettingsException.class)
                                .hasRootCauseMessage(
                                        "The application has 2 data sources with @KonduitQueueDataSource. Put it on one of them only."));
    }

    private static JdbcClient onMain() {
        return JdbcClient.create(main.dataSource());
    }

    private static TransactionTemplate transaction(JdbcTransactionManager manager) {
        return new TransactionTemplate(manager);
    }

    private static void insert(HikariDataSource dataSource, long id, String owner) {
        JdbcClient.create(dataSource)
                .sql("insert into account values (?, ?)")
                .params(id, owner)
                .update();
    }

    /** The main database takes every injection point that asks for nothing in particular. */
    @Configuration(proxyBeanMethods = false)
    static class Marked {
        @Bean
        HikariDataSource mainDatabase() {
            return main.newPool(3);
        }

        @Bean(defaultCandidate = false)
        @KonduitQueueDataSource
        HikariDataSource queueDatabase() {
            return host.database().newPool(3);
        }

        @Bean
        @Primary
        JdbcTransactionManager mainTransactions(HikariDataSource mainDatabase) {
            return new JdbcTransactionManager(mainDatabase);
        }

        @Bean
        JdbcTransactionManager queueTransactions(@Qualifier("queueDatabase") HikariDataSource queueDatabase) {
            return new JdbcTransactionManager(queueDatabase);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnePrimary {
        @Bean
        HikariDataSource mainDatabase() {
            return main.newPool(1);
        }

        @Bean
        @Primary
        HikariDataSource queueDatabase() {
            return host.database().newPool(3);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoMarks {
        @Bean
        @KonduitQueueDataSource
        HikariDataSource one() {
            return host.database().newPool(1);
        }

        @Bean
        @KonduitQueueDataSource
        HikariDataSource two() {
            return host.database().newPool(1);
        }
    }
}
