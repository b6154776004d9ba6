package io.konduit.queue.host.pgbouncer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.konduit.queue.JobHandler;
import io.konduit.queue.Task;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.UnsupportedDatabaseException;
import io.konduit.queue.host.HostApplication;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.test.PgBouncer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The queue behind a PgBouncer in transaction mode that knows nothing of prepared statements. */
@Tag("S7")
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class PgBouncerTests {
    @RegisterExtension
    static final HostApplication host = new HostApplication();

    private static final int THREADS = 8;
    private static final int ROUNDS = 40;
    private static final int BULK = 1_000;
    private static final int SESSIONS = 6;
    private static final String UNPREPARED = "&prepareThreshold=0";

    private static PgBouncer pooler;

    @BeforeAll
    static void startPgBouncer() {
        assumeTrue(PgBouncer.isInstalled(), "pgbouncer is not installed");
        pooler = PgBouncer.inFrontOf(host.database(), "transaction", SESSIONS);
    }

    @AfterAll
    static void stopPgBouncer() {
        if (pooler != null) {
            pooler.close();
        }
    }

    private static ApplicationContextRunner application(String parameters) {
        return host.plainJdbc()
                .withUserConfiguration(Jobs.class)
                .withPropertyValues("spring.datasource.url=" + pooler.jdbcUrl() + parameters);
    }

    static class Jobs {
        private final JdbcClient jdbc;
        private final AtomicLong next = new AtomicLong(1_000_000);

        Jobs(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler("plain")
        void plain() {}

        @JobHandler(value = "transactional", transactional = true)
        void transactional(TaskContext task) {
            jdbc.sql("insert into account values (:id, 'transactional')")
                    .param("id", next.incrementAndGet())
                    .update();
        }

        @JobHandler("checkpointing")
        void checkpointing(TaskContext task) {
            task.checkpoint("half");
            task.assertLease();
        }
    }

    @Test
    void whereTheDriversStatementsWouldMeetTheApplicationDoesNotStart() {
        application("").run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .rootCause()
                    .isInstanceOfSatisfying(UnsupportedDatabaseException.class, refused -> {
                        assertThat(refused)
                                .hasMessageStartingWith("The pooler between the application and PostgreSQL shares"
                                        + " sessions but does not know prepared statements");
                        assertThat(refused.whatToDo())
                                .contains("prepareThreshold=0", "PgBouncer 1.21", "max_prepared_statements");
                    });
        });
        assertThat(host.tasks()).isZero();
    }

    @Test
    void everyAcknowledgedTaskIsStoredAndCompleted(CapturedOutput output) {
        application(UNPREPARED)
                .withPropertyValues("konduit.queue.worker.listen=true")
                .run(PgBouncerTests::everythingIsCompleted);
        assertThat(output.getOut().split("LISTEN does not work behind this pooler", -1))
                .hasSize(2);
        sessionsAreAsTheyWere();
    }

    @Test
    void everyAcknowledgedTaskOfAnApplicationWithJpaIsStoredAndCompleted() {
        HostApplication.on(host.database())
                .withConfiguration(AutoConfigurations.of(
                        HibernateJpaAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        JdbcClientAutoConfiguration.class))
                .withUserConfiguration(Persistence.class, Jobs.class)
                .withPropertyValues("spring.datasource.url=" + pooler.jdbcUrl() + UNPREPARED)
                .run(context -> {
                    assertThat(context).hasSingleBean(JpaTransactionManager.class);
                    everythingIsCompleted(context);
                });
    }

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage
    static class Persistence {}

    /** Migrations set search paths and roles: what they set must not stay behind for the next client. */
    @Test
    void tablesAreMadeThroughThePoolerAndSessionsStayAsTheyWere() {
        application(UNPREPARED)
                .withPropertyValues("konduit.queue.schema.name=jobs")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    TaskId task = queue.enqueue("plain", 1);
                    await().untilAsserted(() ->
                            assertThat(queue.find(task).map(Task::status)).contains(TaskStatus.COMPLETED));
                });
        sessionsAreAsTheyWere();
    }

    @Test
    void theSchemaOfTheApplicationsPoolBecomesPartOfEachName() {
        try (PgBouncer own = PgBouncer.inFrontOf(host.database(), "transaction", 6)) {
            application(UNPREPARED)
                    .withPropertyValues(
                            "spring.datasource.url=" + own.jdbcUrl() + UNPREPARED,
                            "spring.datasource.hikari.schema=of_the_pool")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(context.getBean(QueueDatabase.class).table("konduit_task"))
                                .isEqualTo("of_the_pool.konduit_task");
                    });
        }
    }

    @Test
    void aPoolerOfWholeSessionsNeedsNothing() {
        try (PgBouncer sessions = PgBouncer.inFrontOf(host.database(), "session", 30)) {
            application("")
                    .withPropertyValues(
                            "spring.datasource.url=" + sessions.jdbcUrl(), "konduit.queue.worker.listen=true")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        TaskId task = context.getBean(TaskQueue.class).enqueue("plain", 1);
                        host.awaitStatus(task, "COMPLETED");
                        assertThat(host.database().listeners()).hasSize(1);
                    });
        }
    }

    private static void everythingIsCompleted(AssertableApplicationContext context) throws Exception {
        assertThat(context).hasNotFailed();
        List<Long> acknowledged = enqueueInManyWays(
                context.getBean(TaskQueue.class),
                context.getBean(JdbcTemplate.class),
                new TransactionTemplate(context.getBean(PlatformTransactionManager.class)));
        assertThat(acknowledged).doesNotHaveDuplicates().hasSize(THREADS * (ROUNDS * 8 + BULK));
        assertThat(missing(acknowledged)).isZero();
        assertThat(host.tasks()).isEqualTo(acknowledged.size());
        await().atMost(Duration.ofSeconds(90))
                .untilAsserted(() -> assertThat(count("COMPLETED")).isEqualTo(acknowledged.size()));
        assertThat(count("FAILED")).isZero();
        assertThat(host.accounts()).hasSize(2 * THREADS * ROUNDS);
    }

    /** Visits every session of the pooler at once, and looks for what somebody may have left behind. */
    private static void sessionsAreAsTheyWere() {
        List<Connection> clients = new ArrayList<>();
        Set<Integer> visited = new HashSet<>();
        try {
            for (int i = 0; i < SESSIONS; i++) {
                Connection client = DriverManager.getConnection(pooler.jdbcUrl() + UNPREPARED);
                clients.add(client);
                client.setAutoCommit(false);
                try (Statement statement = client.createStatement();
                        ResultSet row = statement.executeQuery("""
                                select pg_backend_pid(), current_setting('search_path'), current_setting('role'),
                                       current_setting('default_transaction_isolation'),
                                       current_setting('default_transaction_read_only'), current_setting('lock_timeout'),
                                       (select count(*) from pg_prepared_statements),
                                       (select count(*) from pg_listening_channels())
                                """)) {
                    row.next();
                    visited.add(row.getInt(1));
                    List<String> settings = new ArrayList<>();
                    for (int column = 2; column <= 8; column++) {
                        settings.add(row.getString(column));
                    }
                    assertThat(settings)
                            .containsExactly("\"$user\", public", "none", "read committed", "off", "0", "0", "0");
                }
            }
            assertThat(visited).hasSize(SESSIONS);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            clients.forEach(JdbcUtils::closeConnection);
        }
    }

    private static long missing(List<Long> acknowledged) {
        return host.jdbc()
                .sql("select count(*) from unnest(:ids) as a(id) where not exists"
                        + " (select 1 from konduit_tasks t where t.id = a.id)")
                .param("ids", acknowledged.toArray(Long[]::new))
                .query(Long.class)
                .single();
    }

    private static long count(String status) {
        return host.jdbc()
                .sql("select count(*) from konduit_tasks where status = :status")
                .param("status", status)
                .query(Long.class)
                .single();
    }

    /** Single ones, in transactions with a row of the application, many at once, by COPY, with unique keys. */
    private static List<Long> enqueueInManyWays(TaskQueue queue, JdbcTemplate jdbc, TransactionTemplate transaction)
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Callable<List<Long>>> senders = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int number = thread;
                senders.add(() -> send(number, queue, jdbc, transaction));
            }
            List<Long> acknowledged = new ArrayList<>();
            for (Future<List<Long>> sender : threads.invokeAll(senders)) {
                acknowledged.addAll(sender.get());
            }
            return acknowledged;
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<Long> send(int thread, TaskQueue queue, JdbcTemplate jdbc, TransactionTemplate transaction) {
        List<Long> acknowledged = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            long account = thread * 10_000L + round;
            String key = thread + "-" + round;
            acknowledged.add(queue.enqueue("plain", account).value());
            acknowledged.add(transaction.execute(status -> {
                jdbc.update("insert into account values (?, 'sender')", account);
                return queue.enqueue("transactional", account).value();
            }));
            acknowledged.add(
                    queue.submit(TaskRequest.of("checkpointing", account).uniqueKey(key))
                            .id()
                            .value());
            queue.enqueueAll(requests(5)).forEach(id -> acknowledged.add(id.value()));
        }
        queue.enqueueAll(requests(BULK)).forEach(id -> acknowledged.add(id.value()));
        return acknowledged;
    }

    private static List<TaskRequest> requests(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> TaskRequest.of("plain", i))
                .toList();
    }
}
