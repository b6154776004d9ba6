package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.test.TemplateDatabase;
import io.konduit.queue.test.TestDatabase;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.util.ClassUtils;

/**
 * Somebody else's application that has the starter, on a database of its own with the invariant trigger in it. Tables
 * are emptied before each test.
 */
public final class HostApplication implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {
    private static final TemplateDatabase TEMPLATE =
            new TemplateDatabase(tables -> new QueueSchemaMigrator(tables, null).migrate());

    private TestDatabase database;

    @Override
    public void beforeAll(ExtensionContext context) {
        database = TEMPLATE.copy();
        database.execute("create table account (id bigint primary key, owner text not null)");
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        database.execute(
                "truncate konduit_task, konduit_task_history, konduit_task_incident, konduit_task_error, konduit_worker,"
                        + " konduit_chore, konduit_shedlock, account");
    }

    @Override
    public void afterAll(ExtensionContext context) {
        database.close();
    }

    public TestDatabase database() {
        return database;
    }

    /** SQL beside the application, on connections of its own. */
    public JdbcClient jdbc() {
        return JdbcClient.create(database.dataSource());
    }

    /** What {@code spring-boot-starter-jdbc} and this starter bring, with settings that suit tests. */
    public ApplicationContextRunner plainJdbc() {
        return on(database)
                .withConfiguration(AutoConfigurations.of(
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        JdbcClientAutoConfiguration.class));
    }

    /** A data source, Jackson, {@code @Transactional} and this starter. */
    public static ApplicationContextRunner on(TestDatabase database) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JacksonAutoConfiguration.class))
                .withConfiguration(AutoConfigurations.of(starter()))
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "konduit.queue.worker.concurrency=4",
                        "konduit.queue.worker.poll-interval=200ms",
                        "konduit.queue.worker.listen=false",
                        "konduit.queue.worker.drain-timeout=5s",
                        "konduit.queue.retry.initial-interval=1ms",
                        "konduit.queue.retry.max-interval=1ms");
    }

    /** Every auto-configuration that this starter registers. */
    public static Class<?>[] starter() {
        List<Class<?>> registered = new ArrayList<>();
        ClassLoader loader = HostApplication.class.getClassLoader();
        for (String name : ImportCandidates.load(AutoConfiguration.class, loader)) {
            if (name.startsWith("io.konduit.queue.")) {
                registered.add(ClassUtils.resolveClassName(name, loader));
            }
        }
        return registered.toArray(Class[]::new);
    }

    public String status(TaskId id) {
        return jdbc().sql("select status from konduit_tasks where id = :id")
                .param("id", id.value())
                .query(String.class)
                .optional()
                .orElse("GONE");
    }

    public void awaitStatus(TaskId id, String expected) {
        await().untilAsserted(() -> assertThat(status(id)).isEqualTo(expected));
    }

    /** How many tasks there are, live or finished. */
    public long tasks() {
        return jdbc().sql("select count(*) from konduit_tasks")
                .query(Long.class)
                .single();
    }

    /** What workers reported about this task after they had lost it. */
    public List<String> lateOutcomes(TaskId id) {
        return jdbc().sql(
                        "select late_outcome from konduit_task_incident where task_id = :id and late_outcome is not null")
                .param("id", id.value())
                .query(String.class)
                .list();
    }

    /** The names of all accounts that are committed. */
    public List<String> accounts() {
        return jdbc().sql("select owner from account order by id")
                .query(String.class)
                .list();
    }

    /** A task of a type that nobody handles here, whose worker is gone and whose lease has ended. */
    public TaskId orphan() {
        long id = jdbc().sql("insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                        + " values ('default', 'unknown', '1', 2, 'PENDING', clock_timestamp(), clock_timestamp())"
                        + " returning id")
                .query(Long.class)
                .single();
        jdbc().sql("update konduit_task set status = 'RUNNING', attempts = 1, max_attempts = 3, reapable = true,"
                        + " lease_epoch = 1, locked_by = gen_random_uuid(), locked_at = clock_timestamp() - interval '6 min',"
                        + " lock_timeout_at = clock_timestamp() - interval '1 min' where id = :id")
                .param("id", id)
                .update();
        return TaskId.of(id);
    }

    /** Whether somebody waits for a lock. */
    public boolean isAnybodyWaiting() {
        return jdbc().sql("select exists (select from pg_stat_activity"
                        + " where datname = current_database() and wait_event_type = 'Lock')")
                .query(Boolean.class)
                .single();
    }

    /** Ends every session that waits for a lock: a handler that waits for its own thread would keep the test waiting. */
    public void endWaits() {
        jdbc().sql("select pg_terminate_backend(pid) from pg_stat_activity"
                        + " where datname = current_database() and wait_event_type = 'Lock'")
                .query()
                .listOfRows();
    }

    /** Takes a running task away from its worker, as the reaper does when the lease has ended. */
    public void reclaim(TaskId id) {
        assertThat(reclaim(jdbc(), id, ""))
                .as("running task " + id + " taken away")
                .isEqualTo(1);
    }

    /** The same as the reaper does it: leaves a row alone that anybody has locked. Returns whether it took the task. */
    public boolean reclaimUnlessLocked(TaskId id) {
        return reclaim(jdbc(), id, "skip locked") == 1;
    }

    /** The same in a transaction that the caller commits. */
    public void reclaim(Connection transaction, TaskId id) {
        JdbcClient jdbc = JdbcClient.create(new SingleConnectionDataSource(transaction, true));
        assertThat(reclaim(jdbc, id, ""))
                .as("running task " + id + " taken away")
                .isEqualTo(1);
    }

    private static int reclaim(JdbcClient jdbc, TaskId id, String locked) {
        return jdbc.sql("""
                        with held as (
                          select id, locked_by as owner from konduit_task
                           where id = :id and status = 'RUNNING' for no key update %s),
                        taken as (
                          update konduit_task t
                             set status = 'PENDING', zombie_count = zombie_count + 1, run_at = clock_timestamp() + interval '1 hour',
                                 locked_by = null, locked_at = null, lock_timeout_at = null
                            from held where t.id = held.id
                          returning t.id, queue, type, owner, lease_epoch, attempts, zombie_count)
                        insert into konduit_task_incident
                               (task_id, queue, type, classification, action, actor, previous_owner, lease_epoch, detected_at,
                                attempts, zombie_count)
                        select id, queue, type, 'ZOMBIE', 'RECLAIMED', 'test', owner, lease_epoch, clock_timestamp(),
                               attempts, zombie_count
                          from taken
                        """.formatted(locked)).param("id", id.value()).update();
    }
}
