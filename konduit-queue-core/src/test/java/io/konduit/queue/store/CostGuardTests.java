package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What 1 000 tasks cost the database, counted by the database: statements, rows touched, bytes of WAL. Unlike wall time
 * this is the same on every machine, so it fails when somebody makes the queue dearer.
 *
 * <p>Rows must be exact. The bounds on rows read by index and on WAL are the figures of this test on PostgreSQL 18 (single
 * and bulk enqueue 353 bytes, by COPY 305, claim 450, completion 307) with about a tenth on top, for other versions. Whoever lowers a figure lowers its bound; whoever raises one says in the commit what
 * is bought with it.
 */
class CostGuardTests {
    private static final int TASKS = 1_000;
    private static final int BATCH = 100;
    private static final int ALREADY_WAITING = 20_000;

    private static TestDatabase testDatabase;
    private static CountedQueue counted;

    private final UUID worker = UUID.randomUUID();
    private QueueDatabase database;
    private TaskQueue queue;
    private LeaseRepository leases;

    @BeforeAll
    static void createDatabaseWithoutInvariants() {
        testDatabase = TestDatabase.create();
        new QueueSchemaMigrator(testDatabase.dataSource(), null).migrate();
        counted = new CountedQueue(testDatabase);
        if (isWalMeasured()) {
            // a vacuum of any database would write WAL meanwhile
            testDatabase.execute("alter system set autovacuum = off", "select pg_reload_conf()");
            await().until(() -> isNoneActive("autovacuum worker"));
        }
    }

    @AfterAll
    static void dropDatabase() {
        if (isWalMeasured()) {
            testDatabase.execute("alter system reset autovacuum", "select pg_reload_conf()");
        }
        counted.close();
        testDatabase.close();
    }

    /** Tasks that wait elsewhere make plans those of a table in use. */
    @BeforeEach
    void fill() {
        testDatabase.execute(
                "truncate konduit_task, konduit_task_history",
                "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                        + " select 'elsewhere', 'noop', to_jsonb(g), 2, 'PENDING', now(), now() from generate_series(1, "
                        + ALREADY_WAITING + ") g",
                "vacuum analyze konduit_task",
                "checkpoint");
        database = counted.database();
        leases = new LeaseRepository(database, worker);
        queue = new QueueFixture(database).queue();
    }

    @Test
    void enqueueingOneByOneTouchesOneRowWithOneStatementEach() {
        Cost cost =
                cost(database.application(), () -> IntStream.range(0, TASKS).forEach(i -> queue.enqueue("noop", i)));

        assertThat(cost.statements()).isEqualTo(TASKS);
        assertThat(cost.rows("konduit_task")).isEqualTo(new Rows(TASKS, 0, 0));
        assertThat(cost.otherTables("konduit_task")).isEmpty();
        assertThat(cost.seqScans()).isZero();
        assertWalPerTask(cost, TASKS, 390);
    }

    /** PostgreSQL parses the text of each check of the table for every statement; see decision 6. */
    @Test
    void hotTableHasOneCheckAndDomains() {
        assertThat(JdbcClient.create(testDatabase.dataSource())
                        .sql(
                                "select conname from pg_constraint where conrelid = 'konduit_task'::regclass and contype = 'c'")
                        .query(String.class)
                        .list())
                .containsExactly("konduit_task_running_has_lease_end");
    }

    @Test
    void enqueueingManyIsOneStatement() {
        Cost cost = cost(database.application(), this::enqueueAll);

        assertThat(cost.statements()).isEqualTo(1);
        assertThat(cost.rows("konduit_task")).isEqualTo(new Rows(TASKS, 0, 0));
        assertThat(cost.otherTables("konduit_task")).isEmpty();
        assertWalPerTask(cost, TASKS, 390);
    }

    /** COPY is not among the statements that JDBC knows of: the one that is counted draws the ids. */
    @Test
    void enqueueingThousandsWritesEachRowOnce() {
        int many = 5 * TASKS;
        Cost cost = cost(
                database.application(),
                () -> queue.enqueueAll(IntStream.range(0, many)
                        .mapToObj(i -> TaskRequest.of("noop", i))
                        .toList()));

        assertThat(cost.statements()).isEqualTo(1);
        assertThat(cost.rows("konduit_task")).isEqualTo(new Rows(many, 0, 0));
        assertThat(cost.otherTables("konduit_task")).isEmpty();
        assertThat(cost.seqScans()).isZero();
        assertWalPerTask(cost, many, 335);
    }

    @Test
    void claimingWritesEachRowOnceAndReadsNoOther() {
        enqueueAll();

        Cost cost = cost(database.control(), () -> {
            for (int i = 0; i < TASKS / BATCH; i++) {
                assertThat(claim()).hasSize(BATCH);
            }
        });

        assertThat(cost.statements()).isEqualTo(TASKS / BATCH);
        assertThat(cost.rows("konduit_task")).isEqualTo(new Rows(0, TASKS, 0));
        assertThat(cost.otherTables("konduit_task")).isEmpty();
        assertThat(cost.seqScans()).isZero();
        assertThat(cost.indexFetches()).isLessThan(1_150);
        assertWalPerTask(cost, TASKS, 495);
    }

    @Test
    void completingMovesEachRowOnceAndReadsNoOther() {
        enqueueAll();
        List<List<Lease>> batches = new ArrayList<>();
        for (int i = 0; i < TASKS / BATCH; i++) {
            batches.add(claim().stream().map(ClaimedTask::lease).toList());
        }
        testDatabase.execute("analyze konduit_task");

        Cost cost = cost(database.control(), () -> {
            for (List<Lease> batch : batches) {
                assertThat(leases.completeSoon(batch).applied()).hasSize(BATCH);
            }
        });

        assertThat(cost.statements()).isEqualTo(TASKS / BATCH);
        assertThat(cost.rows("konduit_task")).isEqualTo(new Rows(0, 0, TASKS));
        assertThat(cost.rows("konduit_task_history")).isEqualTo(new Rows(TASKS, 0, 0));
        assertThat(cost.otherTables("konduit_task", "konduit_task_history")).isEmpty();
        assertThat(cost.seqScans()).isZero();
        assertThat(cost.indexFetches()).isLessThan(6_100);
        assertWalPerTask(cost, TASKS, 340);
    }

    @Test
    void extendingKeepsUpdatesOutOfTheIndexes() {
        enqueueAll();
        Map<Lease, Duration> all = new HashMap<>();
        claim().forEach(task -> all.put(task.lease(), task.lockTimeout()));

        Cost cost = cost(database.control(), () -> assertThat(leases.extend(all))
                .hasSize(BATCH)
                .allSatisfy((lease, result) -> assertThat(result).isEqualTo(ExtensionResult.EXTENDED)));

        assertThat(cost.statements()).isEqualTo(1);
        assertThat(cost.rows("konduit_task")).isEqualTo(new Rows(0, BATCH, 0));
        // all whose page has room; with an index on what an extension changes it would be none
        assertThat(cost.heapOnlyUpdates()).isPositive();
        assertThat(cost.seqScans()).isZero();
    }

    private static void assertWalPerTask(Cost cost, int tasks, long limit) {
        if (isWalMeasured()) {
            assertThat(cost.walBytes() / tasks).as("bytes of WAL per task").isLessThan(limit);
        }
    }

    /** Whole pages in the WAL, as other servers than the embedded one write them, would hide the figure. */
    private static boolean isWalMeasured() {
        return JdbcClient.create(testDatabase.dataSource())
                .sql("show full_page_writes")
                .query(String.class)
                .single()
                .equals("off");
    }

    private static boolean isNoneActive(String backendType) {
        return JdbcClient.create(testDatabase.dataSource())
                .sql("select not exists (select 1 from pg_stat_activity where backend_type = ?)")
                .param(backendType)
                .query(Boolean.class)
                .single();
    }

    private void enqueueAll() {
        queue.enqueueAll(IntStream.range(0, TASKS)
                .mapToObj(i -> TaskRequest.of("noop", i))
                .toList());
    }

    private List<ClaimedTask> claim() {
        return leases.claimDue(QueueFixture.request(BATCH, List.of()));
    }

    /** Rows that one table had written. */
    record Rows(long inserted, long updated, long deleted) {}

    private record Table(Rows rows, long heapOnlyUpdates, long seqScans, long indexFetches) {
        Table plus(Table other) {
            return new Table(
                    new Rows(
                            rows.inserted() + other.rows().inserted(),
                            rows.updated() + other.rows().updated(),
                            rows.deleted() + other.rows().deleted()),
                    heapOnlyUpdates + other.heapOnlyUpdates(),
                    seqScans + other.seqScans(),
                    indexFetches + other.indexFetches());
        }

        Table since(Table earlier) {
            return new Table(
                    new Rows(
                            rows.inserted() - earlier.rows().inserted(),
                            rows.updated() - earlier.rows().updated(),
                            rows.deleted() - earlier.rows().deleted()),
                    heapOnlyUpdates - earlier.heapOnlyUpdates(),
                    seqScans - earlier.seqScans(),
                    indexFetches - earlier.indexFetches());
        }
    }

    private record Cost(int statements, long walBytes, Map<String, Table> tables) {
        Rows rows(String table) {
            return tables.get(table).rows();
        }

        List<String> otherTables(String... expected) {
            return tables.entrySet().stream()
                    .filter(table -> !List.of(expected).contains(table.getKey()))
                    .filter(table -> !table.getValue().rows().equals(new Rows(0, 0, 0)))
                    .map(Map.Entry::getKey)
                    .toList();
        }

        /** Of the tables that grow. */
        long seqScans() {
            return tables.get("konduit_task").seqScans()
                    + tables.get("konduit_task_history").seqScans();
        }

        long heapOnlyUpdates() {
            return tables.get("konduit_task").heapOnlyUpdates();
        }

        long indexFetches() {
            return tables.get("konduit_task").indexFetches();
        }
    }

    /** Runs the action in one transaction, whose own counters the server gives without delay. */
    private Cost cost(DataSource path, Runnable action) {
        JdbcClient client = JdbcClient.create(path);
        JdbcClient observer = JdbcClient.create(testDatabase.dataSource());
        long before = walPosition(observer);
        int[] statements = new int[1];
        Map<String, Table> tables = new HashMap<>();
        new TransactionTemplate(new DataSourceTransactionManager(path)).executeWithoutResult(status -> {
            Map<String, Table> earlier = tables(client); // of this session, not yet handed on to the server
            statements[0] = counted.statementsOf(action).size();
            tables(client).forEach((name, table) -> tables.put(name, table.since(earlier.get(name))));
        });
        return new Cost(statements[0], walPosition(observer) - before, tables);
    }

    private static Map<String, Table> tables(JdbcClient client) {
        Map<String, Table> tables = new HashMap<>();
        client.sql("select relname, n_tup_ins, n_tup_upd, n_tup_del, n_tup_hot_upd, seq_scan, idx_tup_fetch"
                        + " from pg_stat_xact_user_tables")
                .query(row -> {
                    tables.merge(
                            ofHistory(row.getString("relname")),
                            new Table(
                                    new Rows(
                                            row.getLong("n_tup_ins"),
                                            row.getLong("n_tup_upd"),
                                            row.getLong("n_tup_del")),
                                    row.getLong("n_tup_hot_upd"),
                                    row.getLong("seq_scan"),
                                    row.getLong("idx_tup_fetch")),
                            Table::plus);
                });
        return tables;
    }

    /** All slots of history count as one table. */
    private static String ofHistory(String table) {
        return table.replaceFirst("^(konduit_task_history)_.*", "$1");
    }

    private static long walPosition(JdbcClient observer) {
        return observer.sql("select (pg_current_wal_insert_lsn() - '0/0')::bigint")
                .query(Long.class)
                .single();
    }
}
