package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.Task;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.core.simple.JdbcClient;

/** How the tables come into a database that has none. */
@Tag("S3")
class SchemaTests {
    private static final String SCRIPTS = "classpath:io/konduit/queue/db/V*.sql";

    private TestDatabase database;

    @BeforeEach
    void createAnEmptyDatabase() {
        database = TestDatabase.create();
    }

    @AfterEach
    void dropIt() {
        database.close();
    }

    private ApplicationContextRunner application() {
        return HostApplication.on(database)
                .withConfiguration(AutoConfigurations.of(DataSourceTransactionManagerAutoConfiguration.class))
                .withUserConfiguration(ScriptedJobs.class)
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=3");
    }

    @Test
    @Tag("X15")
    void eightInstancesThatStartAtOnceOnAnEmptyDatabaseAllComeUp() throws Exception {
        int instances = 8;
        CyclicBarrier together = new CyclicBarrier(instances);
        ExecutorService threads = Executors.newFixedThreadPool(instances);
        try {
            Callable<Void> instance = () -> {
                together.await(30, TimeUnit.SECONDS);
                application().run(context -> {
                    assertThat(context).hasNotFailed();
                    together.await(60, TimeUnit.SECONDS);
                    TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
                    await().untilAsserted(() -> assertThat(status(task)).isEqualTo("COMPLETED"));
                });
                return null;
            };
            for (Future<Void> started : threads.invokeAll(
                    Stream.generate(() -> instance).limit(instances).toList())) {
                started.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(versions("konduit_schema_history")).doesNotHaveDuplicates().hasSize(scripts());
    }

    @Test
    @Tag("S2")
    void theApplicationsOwnMigrationsRunInAnEmptyDatabaseAsWell() {
        ApplicationContextRunner withFlyway = application()
                .withConfiguration(AutoConfigurations.of(FlywayAutoConfiguration.class))
                .withPropertyValues("spring.flyway.locations=classpath:host/migrations");
        withFlyway.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(Flyway.class);
            assertThat(context.getBean(Flyway.class).getConfiguration().getTable())
                    .isEqualTo("flyway_schema_history");
            database.installInvariants(null);
            TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
            await().untilAsserted(() -> assertThat(status(task)).isEqualTo("COMPLETED"));
        });
        assertThat(versions("flyway_schema_history")).containsExactly("1");
        assertThat(jdbc().sql("select count(*) from customer").query(Long.class).single())
                .isZero();
        withFlyway.run(context -> assertThat(context).hasNotFailed());
        assertThat(versions("flyway_schema_history")).containsExactly("1");
    }

    @Test
    void noFlywayBeanIsPublished() {
        application().run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Flyway.class));
    }

    @Test
    void tablesBesideTheApplicationsDoNotTouchIt() {
        database.execute("create table customer (id bigint primary key)", "insert into customer values (1)");
        application().run(context -> assertThat(context).hasNotFailed());
        assertThat(jdbc().sql("select id from customer").query(Long.class).list())
                .containsExactly(1L);
        assertThat(versions("konduit_schema_history")).doesNotHaveDuplicates();
    }

    @Test
    void aSchemaOfItsOwnHoldsEverything() {
        application()
                .withPropertyValues("konduit.queue.schema.name=jobs", "konduit.queue.worker.listen=true")
                .run(context -> {
                    database.installInvariants("jobs");
                    assertThat(jdbc().sql("select distinct table_schema from information_schema.tables"
                                            + " where table_name like 'konduit%'")
                                    .query(String.class)
                                    .list())
                            .containsExactly("jobs");
                    ScriptedJobs jobs = context.getBean(ScriptedJobs.class);
                    jobs.will(task -> {
                        task.checkpoint("half");
                        if (task.attempt() == 1) {
                            throw new IllegalStateException("the first attempt fails");
                        }
                    });
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    TaskId run = queue.enqueue(
                            TaskRequest.of("scripted.transactional", null).uniqueKey("k"));
                    TaskId later =
                            queue.enqueue(TaskRequest.of("scripted", null).delay(Duration.ofHours(1)));
                    await().untilAsserted(() ->
                            assertThat(queue.find(run).map(Task::status)).contains(TaskStatus.COMPLETED));
                    assertThat(queue.find(later).map(Task::status)).contains(TaskStatus.PENDING);
                    assertThat(queue.cancel(later)).isTrue();
                    assertThat(queue.find(later).map(Task::status)).contains(TaskStatus.CANCELLED);
                });
    }

    @Test
    void scriptsThatSomebodyElseRanAreEnough() throws Exception {
        for (var script : new PathMatchingResourcePatternResolver().getResources(SCRIPTS)) {
            database.execute(script.getContentAsString(java.nio.charset.StandardCharsets.UTF_8));
        }
        application()
                .withPropertyValues("konduit.queue.schema.initialize=false")
                .run(context -> {
                    database.installInvariants(null);
                    TaskId task = context.getBean(TaskQueue.class).enqueue("scripted", null);
                    await().untilAsserted(() -> assertThat(status(task)).isEqualTo("COMPLETED"));
                });
        assertThat(jdbc().sql("select to_regclass('konduit_schema_history')::text")
                        .query(String.class)
                        .optional())
                .isEmpty();
    }

    private JdbcClient jdbc() {
        return JdbcClient.create(database.dataSource());
    }

    private String status(TaskId task) {
        return jdbc().sql("select status from konduit_tasks where id = :id")
                .param("id", task.value())
                .query(String.class)
                .optional()
                .orElse("GONE");
    }

    private List<String> versions(String history) {
        return jdbc().sql("select version from " + history + " where success and type <> 'BASELINE'")
                .query(String.class)
                .list();
    }

    private static int scripts() throws java.io.IOException {
        return new PathMatchingResourcePatternResolver().getResources(SCRIPTS).length;
    }
}
