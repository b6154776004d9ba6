package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

@Tag("S1")
class PlainJdbcApplicationTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private final ApplicationContextRunner application = host.plainJdbc().withUserConfiguration(ScriptedJobs.class);

    @Test
    void enqueueIsCommittedWithTheCallersRow() {
        application.run(context -> {
            JdbcClient jdbc = context.getBean(JdbcClient.class);
            TaskQueue queue = context.getBean(TaskQueue.class);
            TaskId task = transaction(context.getBean(PlatformTransactionManager.class))
                    .execute(status -> {
                        insert(jdbc, 1, "Ada");
                        TaskId enqueued = queue.enqueue("scripted", null);
                        assertThat(host.status(enqueued)).isEqualTo("GONE");
                        return enqueued;
                    });
            host.awaitStatus(task, "COMPLETED");
            assertThat(host.accounts()).containsExactly("Ada");
        });
    }

    @Test
    void enqueueDisappearsWhenTheCallerRollsBack() {
        application.run(context -> {
            JdbcClient jdbc = context.getBean(JdbcClient.class);
            TaskQueue queue = context.getBean(TaskQueue.class);
            TransactionTemplate transaction = transaction(context.getBean(PlatformTransactionManager.class));
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> transaction.executeWithoutResult(status -> {
                        insert(jdbc, 1, "Ada");
                        queue.enqueue("scripted", null);
                        queue.enqueueAll(List.of(
                                TaskRequest.of("scripted", null).uniqueKey("a"),
                                TaskRequest.of("scripted", null).uniqueKey("b")));
                        throw new IllegalStateException("refused");
                    }));
            assertThat(host.accounts()).isEmpty();
            assertThat(host.tasks()).isZero();
        });
    }

    /** What Spring Boot gives to jOOQ: a transaction-aware proxy of the data source, and nested transactions. */
    @Test
    void enqueueJoinsATransactionThatWorksAsJooqsDoes() {
        application.run(context -> {
            DataSource proxy = new TransactionAwareDataSourceProxy(context.getBean(DataSource.class));
            TaskQueue queue = context.getBean(TaskQueue.class);
            TransactionTemplate nested = transaction(context.getBean(PlatformTransactionManager.class));
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            TaskId kept = nested.execute(outer -> {
                insert(proxy, 1, "outer");
                TaskId enqueued = queue.enqueue("scripted", null);
                nested.executeWithoutResult(inner -> {
                    insert(proxy, 2, "inner");
                    queue.enqueue("scripted", null);
                    inner.setRollbackOnly();
                });
                return enqueued;
            });
            host.awaitStatus(kept, "COMPLETED");
            assertThat(host.accounts()).containsExactly("outer");
            assertThat(host.tasks()).isEqualTo(1);
        });
    }

    @Test
    void enqueuesAtTheSameTimeShareTransactionsUnlessThatIsSwitchedOff() {
        ApplicationContextRunner producer = application.withPropertyValues("konduit.queue.worker.enabled=false");
        producer.run(context -> assertThat(transactionsOfManyEnqueues(context.getBean(TaskQueue.class)))
                .isLessThan(400));
        producer.withPropertyValues("konduit.queue.group-enqueues=false")
                .run(context -> assertThat(transactionsOfManyEnqueues(context.getBean(TaskQueue.class)))
                        .isEqualTo(400));
    }

    private static long transactionsOfManyEnqueues(TaskQueue queue) {
        List<TaskId> ids = IntStream.range(0, 8)
                .mapToObj(caller -> CompletableFuture.supplyAsync(
                        () -> IntStream.range(0, 50)
                                .mapToObj(i -> queue.enqueue("scripted", null))
                                .toList(),
                        run -> new Thread(run).start()))
                .toList()
                .stream()
                .flatMap(caller -> caller.join().stream())
                .toList();
        return host.jdbc()
                .sql("select count(distinct xmin::text) from konduit_task where id in (:ids)")
                .param("ids", ids.stream().map(TaskId::value).toList())
                .query(Long.class)
                .single();
    }

    @Test
    void aTransactionAwareProxyAsTheDataSourceBeanIsSeenThrough() {
        application.withUserConfiguration(ProxiedDataSource.class).run(context -> {
            TaskQueue queue = context.getBean(TaskQueue.class);
            TransactionTemplate transaction = transaction(context.getBean(PlatformTransactionManager.class));
            TaskId rolledBack = transaction.execute(status -> {
                status.setRollbackOnly();
                return queue.enqueue("scripted", null);
            });
            assertThat(host.status(rolledBack)).isEqualTo("GONE");
            TaskId transactional = queue.enqueue("scripted.transactional", null);
            host.awaitStatus(transactional, "COMPLETED");
        });
    }

    @Test
    void enqueueWithoutATransactionIsCommittedAlsoWithAutoCommitOff() {
        application
                .withPropertyValues("spring.datasource.hikari.auto-commit=false", "konduit.queue.worker.enabled=false")
                .run(context -> {
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    TaskId one = queue.enqueue("scripted", null);
                    TaskId unique =
                            queue.enqueue(TaskRequest.of("scripted", null).uniqueKey("k"));
                    List<TaskId> many = queue.enqueueAll(
                            List.of(TaskRequest.of("scripted", null), TaskRequest.of("scripted", null)));
                    assertThat(host.status(one)).isEqualTo("PENDING");
                    assertThat(host.status(unique)).isEqualTo("PENDING");
                    assertThat(many)
                            .allSatisfy(task -> assertThat(host.status(task)).isEqualTo("PENDING"));
                    assertThat(queue.cancel(one)).isTrue();
                    assertThat(host.status(one)).isEqualTo("CANCELLED");
                });
    }

    @Test
    void aPoolThatDoesNotCommitRunsTasksAndKeepsTheirCheckpoints() {
        application
                .withPropertyValues("spring.datasource.hikari.auto-commit=false")
                .run(context -> {
                    ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
                    jobs.will(task -> {
                        if (task.attempt() == 1) {
                            task.checkpoint("half");
                            throw new IllegalStateException("the first attempt fails");
                        }
                        assertThat(task.lastCheckpoint(String.class)).contains("half");
                    });
                    TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
                    assertThat(jobs.awaitEnd()).isInstanceOf(IllegalStateException.class);
                    assertThat(jobs.awaitEnd()).isNull();
                    host.awaitStatus(task, "COMPLETED");
                });
    }

    @Test
    @Tag("S6")
    void handlersRunOnVirtualThreadsWhereTheApplicationHasThemOn() {
        application.withPropertyValues("spring.threads.virtual.enabled=true").run(context -> {
            Thread handler = threadOfAHandler(context.getBean(ScriptedJobs.class), context.getBean(TaskQueue.class));
            assertThat(handler.getName()).startsWith("konduit-default-");
            assertThat(isVirtual(handler)).isEqualTo(Runtime.version().feature() >= 21);
        });
    }

    @Test
    @Tag("S6")
    void handlersRunOnPlatformThreadsOtherwise() {
        application.withPropertyValues("spring.threads.virtual.enabled=false").run(context -> {
            Thread handler = threadOfAHandler(context.getBean(ScriptedJobs.class), context.getBean(TaskQueue.class));
            assertThat(handler.getName()).startsWith("konduit-default-");
            assertThat(isVirtual(handler)).isFalse();
            assertThat(handler.isDaemon()).isTrue();
        });
    }

    @Test
    void handlerBehindAnInterfaceIsFoundAlsoWhenAnEarlierBeanEnqueues() {
        application.withUserConfiguration(EarlyEnqueue.class).run(context -> {
            TaskId task = context.getBean(TaskQueue.class).enqueue("behind-interface", null);
            host.awaitStatus(task, "COMPLETED");
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class ProxiedDataSource {
        @Bean
        DataSource dataSource() {
            return new TransactionAwareDataSourceProxy(host.database().dataSource());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyEnqueue {
        @Bean
        TaskId enqueuedAtStart(TaskQueue queue) {
            return queue.enqueue("scripted", null);
        }

        @Bean
        Runnable jobs() {
            return new BehindInterface();
        }
    }

    static class BehindInterface implements Runnable {
        @Override
        @JobHandler("behind-interface")
        public void run() {}
    }

    private static Thread threadOfAHandler(ScriptedJobs jobs, TaskQueue queue) throws Exception {
        CompletableFuture<Thread> handler = new CompletableFuture<>();
        jobs.will(task -> handler.complete(Thread.currentThread()));
        queue.enqueue("scripted", null);
        return handler.get(10, TimeUnit.SECONDS);
    }

    private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
        return Runtime.version().feature() >= 21
                && (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
    }

    private static TransactionTemplate transaction(PlatformTransactionManager manager) {
        return new TransactionTemplate(manager);
    }

    private static void insert(JdbcClient jdbc, long id, String owner) {
        jdbc.sql("insert into account (id, owner) values (?, ?)")
                .params(id, owner)
                .update();
    }

    private static void insert(DataSource dataSource, long id, String owner) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("insert into account (id, owner) values (" + id + ", '" + owner + "')");
        } catch (java.sql.SQLException e) {
            throw new AssertionError(e);
        }
    }
}
