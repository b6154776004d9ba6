package io.konduit.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.konduit.queue.InvalidSettingsException;
import io.konduit.queue.SchemaLockedException;
import io.konduit.queue.SchemaMissingException;
import io.konduit.queue.jdbc.ServerSessions;
import io.konduit.queue.settings.SchemaSettings;
import io.konduit.queue.test.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * A migration needs exclusive access to its tables for a short time, and must not make everybody wait until it gets it.
 * The tables are those of this release, and two scripts of the tests are the migrations to a later one.
 */
@Tag("S3")
@Timeout(60)
class MigrationLockTests {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private TestDatabase database;
    private JdbcClient jdbc;

    @BeforeEach
    void createTablesOfAnOlderVersion() {
        database = TestDatabase.create();
        jdbc = JdbcClient.create(database.dataSource());
        new QueueSchemaMigrator(database.dataSource(), null).migrate();
        assertThat(newestVersion()).isLessThan(LaterScripts.NEWEST);
    }

    @AfterEach
    void dropThem() throws InterruptedException {
        threads.shutdownNow();
        assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        database.close();
    }

    /** A transaction that has read the hot table and is left open. */
    private Connection openReader() throws SQLException {
        Connection reader = database.connect();
        reader.setAutoCommit(false);
        try (Statement statement = reader.createStatement()) {
            statement.execute("set application_name = 'nightly-report'");
            statement.execute("select count(*) from konduit_task");
        }
        return reader;
    }

    @Test
    void enqueuesGoOnWhileAMigrationWaitsForAnOpenTransaction() throws Exception {
        AtomicInteger enqueued = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Void> migration;
        try (Connection reader = openReader()) {
            migration = CompletableFuture.runAsync(
                    () -> migrator(Duration.ofMinutes(1)).migrate(), threads);
            await().until(() -> waitingForTheTable() > 0);
            CompletableFuture<Void> sender = CompletableFuture.runAsync(
                    () -> {
                        while (!done.get()) {
                            enqueue();
                            enqueued.incrementAndGet();
                        }
                    },
                    threads);
            await().until(() -> enqueued.get() >= 100);
            await().until(() -> waitingForTheTable() > 0);
            int before = enqueued.get();
            await().until(() -> enqueued.get() >= before + 100);
            assertThat(migration).isNotDone();
            done.set(true);
            sender.get(20, TimeUnit.SECONDS);
            reader.rollback();
        }
        migration.get(30, TimeUnit.SECONDS);
        assertMigrated();
    }

    @Test
    void endlessTransactionFailsTheStartAndLeavesNoWaiterForTheLock() throws Exception {
        try (Connection reader = openReader()) {
            int pid = reader.unwrap(PGConnection.class).getBackendPID();
            assertThatExceptionOfType(SchemaLockedException.class)
                    .isThrownBy(() -> migrator(Duration.ofSeconds(2)).migrate())
                    .withMessageStartingWith(
                            "The tables of the queue could not be updated within 2s, because they are in"
                                    + " use by session " + pid
                                    + " ('nightly-report', user postgres, idle in transaction, its transaction is open for ")
                    .withMessageEndingWith(" s).");
            assertThat(waitingForTheTable()).isZero();
            assertThat(advisoryLocks()).isZero();
            assertNotMigrated();
            enqueue();
            reader.rollback();
        }
        migrator(Duration.ofSeconds(2)).migrate();
        assertMigrated();
    }

    /** Between two tries the migration is idle in its transaction; within one it waits for more than a second. */
    @ParameterizedTest
    @ValueSource(strings = {"idle_in_transaction_session_timeout", "statement_timeout", "transaction_timeout"})
    void aMigrationThatWaitsSurvivesTheTimeoutsOfTheDatabase(String timeout) throws Exception {
        assumeTrue(
                jdbc.sql("select exists (select from pg_settings where name = ?)")
                        .param(timeout)
                        .query(Boolean.class)
                        .single(),
                "this server does not know " + timeout);
        try (Connection reader = openReader()) {
            database.execute("alter database " + database.name() + " set " + timeout + " = '400ms'");
            SingleConnectionDataSource session = new SingleConnectionDataSource(database.jdbcUrl(), true);
            try {
                CompletableFuture<Void> migration = CompletableFuture.runAsync(
                        () -> new QueueSchemaMigrator(
                                        session, null, Duration.ofSeconds(30), ServerSessions.OWN, LaterScripts.read())
                                .migrate(),
                        threads);
                await().until(() -> waitingForTheTable() > 0);
                await().until(() -> waitingForTheTable() == 0);
                await().until(() -> migration.isDone() || waitingForTheTable() > 0);
                assertThat(migration).isNotDone();
                reader.rollback();
                migration.get(30, TimeUnit.SECONDS);
                assertThat(JdbcClient.create(session)
                                .sql("select current_setting(?)")
                                .param(timeout)
                                .query(String.class)
                                .single())
                        .isEqualTo("400ms");
            } finally {
                session.destroy();
            }
        }
        assertMigrated();
    }

    @Test
    void anotherInstanceThatTakesTooLongIsNotTakenForSomebodyWhoHoldsTheTables() throws Exception {
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            statement.execute("set application_name = 'other-instance'");
            statement.execute("select pg_advisory_lock(" + MigrationTransaction.LOCK_KEY + ")");
            assertThatExceptionOfType(SchemaLockedException.class)
                    .isThrownBy(() -> migrator(Duration.ofMillis(300)).migrate())
                    .withMessageStartingWith(
                            "Another instance has been updating the tables of the queue for more than 300ms: session "
                                    + other.unwrap(PGConnection.class).getBackendPID() + " ('other-instance'");
        }
        migrator(Duration.ofSeconds(2)).migrate();
    }

    @Test
    void aMigrationThatCannotSucceedIsNotTriedAgainAndLeavesNothing() {
        database.execute("create table konduit_example (id bigint)");
        assertThatExceptionOfType(SchemaMissingException.class)
                .isThrownBy(() -> migrator(Duration.ofMinutes(1)).migrate())
                .withMessageContaining("relation \"konduit_example\" already exists");
        assertNotMigrated();
    }

    @Test
    void noSettingIsLeftBehindInTheSession() {
        SingleConnectionDataSource session = new SingleConnectionDataSource(database.jdbcUrl(), true);
        try {
            new QueueSchemaMigrator(session, "jobs", Duration.ofSeconds(2), ServerSessions.SHARED).migrate();
            assertThat(JdbcClient.create(session)
                            .sql("select current_setting('search_path') || ' ' || current_setting('role') || ' '"
                                    + " || current_setting('lock_timeout')")
                            .query(String.class)
                            .single())
                    .isEqualTo("\"$user\", public none 0");
        } finally {
            session.destroy();
        }
    }

    @Test
    @Tag("S5")
    void patienceOfZeroIsAnImpossibleSetting() {
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> new SchemaSettings(true, null, Duration.ZERO))
                .withMessage("'konduit.queue.schema.lock-patience' (0s) must be greater than zero.");
    }

    private QueueSchemaMigrator migrator(Duration patience) {
        return new QueueSchemaMigrator(database.dataSource(), null, patience, ServerSessions.OWN, LaterScripts.read());
    }

    private int advisoryLocks() {
        return jdbc.sql("select count(*) from pg_locks where locktype = 'advisory'"
                        + " and database = (select oid from pg_database where datname = current_database())")
                .query(Integer.class)
                .single();
    }

    private void enqueue() {
        jdbc.sql("insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                        + " values ('default', 'a', '{}', 2, 'PENDING', clock_timestamp(), clock_timestamp())")
                .update();
    }

    private int waitingForTheTable() {
        return jdbc.sql("select count(*) from pg_locks where relation = 'konduit_task'::regclass"
                        + " and mode = 'AccessExclusiveLock' and not granted")
                .query(Integer.class)
                .single();
    }

    private int newestVersion() {
        return jdbc.sql("select max(version::integer) from konduit_schema_history where success")
                .query(Integer.class)
                .single();
    }

    private void assertMigrated() {
        assertThat(newestVersion()).isEqualTo(LaterScripts.NEWEST);
        assertThat(hasExampleColumn()).isTrue();
    }

    /** The first of the two scripts is undone with the second. */
    private void assertNotMigrated() {
        assertThat(newestVersion()).isLessThan(LaterScripts.NEWEST - 1);
        assertThat(hasExampleColumn()).isFalse();
    }

    private boolean hasExampleColumn() {
        return jdbc.sql("select exists (select from pg_attribute where attrelid = 'konduit_task'::regclass"
                        + " and attname = 'example')")
                .query(Boolean.class)
                .single();
    }
}
