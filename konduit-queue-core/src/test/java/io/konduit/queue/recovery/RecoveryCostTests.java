package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.SqlFile;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.store.ExtensionResult;
import io.konduit.queue.store.HistorySlots;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What recovery costs. Statements, pages and rows are asserted; times are only printed, in lines that begin with
 * {@code cost:}. The tables are as in production, without the invariant trigger.
 */
@Tag("R2")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class RecoveryCostTests {
    private static final String RECLAIM = SqlFile.opening("reclaim");
    private static final String FIND = SqlFile.opening("find-expired");

    private TestDatabase database;
    private HikariDataSource application;
    private StatementProbe probe;
    private QueueFixture recovery;
    private final UUID worker = UUID.randomUUID();
    private final Logger log = (Logger) LoggerFactory.getLogger(OrphanReclaimer.class.getPackageName());

    @BeforeEach
    void createDatabase() {
        // as in production: a line for each of 100 000 tasks would be measured too
        log.setLevel(Level.INFO);
        database = TestDatabase.create();
        new QueueSchemaMigrator(database.dataSource(), null).migrate();
        application = database.newPool(10);
        probe = new StatementProbe(application);
        recovery = new QueueFixture(QueueFixture.databaseOn(probe));
    }

    @AfterEach
    void dropDatabase() {
        log.setLevel(null);
        QueueFixture.closePools();
        application.close();
        database.close();
    }

    @Test
    @Tag("L8")
    void passWithoutExpiredTasksIsThreeStatementsWhateverTheBacklog() {
        recovery.insertRunning(10_000, worker, -300_000);
        insertWaiting(20_000);
        vacuum();
        buffers(); // the first time, catalogues are read too
        Map<String, Long> few = buffers();
        insertWaiting(80_000);
        insertHistory(50_000, Duration.ZERO, 0);
        vacuum();
        Map<String, Long> many = buffers();
        OrphanReclaimer reclaimer = recovery.reclaimer();
        probe.reset();

        long[] nanos = new long[21];
        for (int i = 0; i < nanos.length; i++) {
            long start = System.nanoTime();
            assertThat(reclaimer.reclaimOnce().total()).isZero();
            assertThat(reclaimer.untilNextExpiry(Duration.ofSeconds(30))).isEqualTo(Duration.ofSeconds(30));
            nanos[i] = System.nanoTime() - start;
        }

        assertThat(probe.statements()).hasSize(3 * nanos.length);
        assertThat(many).isEqualTo(few);
        Arrays.sort(nanos);
        print(
                "pass over 10 000 running tasks, none expired, 100 000 waiting: 3 statements, pages read %s, median %.1f ms",
                many, nanos[nanos.length / 2] / 1e6);
    }

    @Test
    @Tag("L11")
    @Tag("long")
    void hundredThousandOrphansComeBackInBatches() {
        recovery.insertRunning(100_000, worker, 600_000);
        vacuum();
        long wal = walBytes();
        probe.reset();

        long start = System.nanoTime();
        ReclaimResult result = reclaimer().reclaimOnce();
        double seconds = (System.nanoTime() - start) / 1e9;

        assertThat(result.reclaimed()).isEqualTo(100_000);
        assertThat(probe.count(RECLAIM)).isEqualTo(200);
        assertThat(probe.count(FIND)).isEqualTo(11);
        assertThat(probe.statements()).hasSize(1 + 200 + 11);
        assertThat(recovery.count("select count(distinct task_id) from konduit_task_incident"))
                .isEqualTo(100_000);
        assertThat(recovery.count("select count(distinct xmin::text) from konduit_task_incident"))
                .as("transactions")
                .isEqualTo(200);
        print(
                "reclaim of 100 000 orphans in batches of 500: 212 statements, %.1f s, %.0f tasks per second, %d B of WAL per task",
                seconds, 100_000 / seconds, (walBytes() - wal) / 100_000);
    }

    @Test
    @Tag("L9")
    @Tag("long")
    void fourReclaimersShareHundredThousandOrphans() {
        recovery.insertRunning(100_000, worker, 600_000);
        vacuum();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        long start = System.nanoTime();
        List<Integer> shares;
        try {
            List<CompletableFuture<Integer>> passes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                OrphanReclaimer reclaimer = reclaimer();
                passes.add(CompletableFuture.supplyAsync(() -> QueueFixture.reclaimAll(reclaimer), threads));
            }
            shares = passes.stream().map(CompletableFuture::join).toList();
        } finally {
            threads.shutdownNow();
        }
        double seconds = (System.nanoTime() - start) / 1e9;

        assertThat(shares.stream().mapToInt(Integer::intValue).sum()).isEqualTo(100_000);
        assertThat(recovery.count("select count(*) from konduit_task_incident")).isEqualTo(100_000);
        assertThat(recovery.count("select count(distinct task_id) from konduit_task_incident"))
                .isEqualTo(100_000);
        assertThat(recovery.count("select deadlocks from pg_stat_database where datname = current_database()"))
                .isZero();
        print("four reclaimers on 100 000 orphans: each once, shares %s, %.1f s", shares, seconds);
    }

    /**
     * An update is heap-only when its page has room for another version. Tasks that one worker claimed lie side by side,
     * and versions can be removed only after the statement: the rows of a large worker first have to spread out.
     */
    @ParameterizedTest
    @ValueSource(ints = {10, 200})
    @Tag("H4")
    void extensionsAreHeapOnly(int tasks) {
        insertWaiting(1_000);
        vacuum();
        LeaseRepository leases = new LeaseRepository(recovery.database(), worker);
        Map<Lease, Duration> batch = new HashMap<>();
        for (int i = 0; i < tasks; i++) {
            batch.put(recovery.claimOne(leases).lease(), Duration.ofMinutes(5));
        }
        int rounds = 20;
        long[] hot = new long[rounds];
        long[] wal = new long[rounds];
        long nanos = 0;

        for (int round = 0; round < rounds; round++) {
            long walBefore = walBytes();
            long start = System.nanoTime();
            long[] updated = extend(leases, batch);
            nanos += System.nanoTime() - start;
            assertThat(updated[0]).isEqualTo(tasks);
            hot[round] = updated[1];
            wal[round] = (walBytes() - walBefore) / tasks;
        }

        assertThat(Arrays.stream(hot).skip(rounds / 2).sum()).isGreaterThanOrEqualTo(tasks * (rounds / 2L) * 98 / 100);
        print(
                "extension of %d leases: 1 statement, %.1f ms, heap-only updates in each of %d rounds %s, B of WAL per lease %s",
                tasks, nanos / 1e6 / rounds, rounds, Arrays.toString(hot), Arrays.toString(wal));
    }

    /** Extends in a transaction of its own; returns how many rows were updated, and how many of them heap-only. */
    private long[] extend(LeaseRepository leases, Map<Lease, Duration> batch) {
        DataSource control = recovery.database().control();
        return new TransactionTemplate(new DataSourceTransactionManager(control)).execute(status -> {
            long[] before = updates(control);
            assertThat(leases.extend(batch).values())
                    .hasSameSizeAs(batch.keySet())
                    .containsOnly(ExtensionResult.EXTENDED);
            long[] after = updates(control);
            return new long[] {after[0] - before[0], after[1] - before[1]};
        });
    }

    private static long[] updates(DataSource session) {
        return JdbcClient.create(session)
                .sql("select n_tup_upd, n_tup_hot_upd from pg_stat_xact_user_tables where relname = 'konduit_task'")
                .query((row, number) -> new long[] {row.getLong(1), row.getLong(2)})
                .single();
    }

    @Test
    @Tag("R1")
    @Tag("long")
    void hundredThousandFinishedTasksAreRemovedAtOnce() {
        insertHistory(100_000, Duration.ofDays(8), 0);
        insertHistory(100_000, Duration.ofDays(1), 1);
        database.execute(
                "update konduit_history_slot set opened_at = clock_timestamp() - interval '9 days',"
                        + " closed_at = clock_timestamp() - interval '8 days' where slot = 0",
                "update konduit_history_slot set opened_at = clock_timestamp(), turn = 1 where slot = 1");
        vacuum();
        probe.reset();

        long start = System.nanoTime();
        int emptied = new HistoryPruner(
                        new HistorySlots(recovery.database()), RetentionSettings.defaults(), System::nanoTime)
                .pruneOnce();
        double seconds = (System.nanoTime() - start) / 1e9;

        assertThat(emptied).isEqualTo(1);
        assertThat(recovery.count("select count(*) from konduit_task_history")).isEqualTo(100_000);
        print(
                "retention of 100 000 of 200 000 finished tasks: %d statements, %.3f s",
                probe.statements().size(), seconds);
    }

    @Test
    void listsForPeopleReadTheirOwnIndexes() {
        recovery.insertRunning(300, worker, 60_000);
        recovery.bulk("update konduit_task set reapable = id % 2 = 0", statement -> {});
        recovery.reclaimer().reclaimOnce();
        insertWaiting(50_000);
        vacuum();

        assertThat(plan("list-held", Map.of("afterId", "0", "limit", "100")))
                .contains("Index Scan using konduit_task_ended on konduit_task")
                .doesNotContain("Seq Scan on konduit_task ");
        assertThat(plan("list-zombie-tasks", Map.of("above", "3", "limit", "100")))
                .contains("using konduit_task_zombies on konduit_task")
                .doesNotContain("Seq Scan")
                .doesNotContain("Sort");
        assertThat(plan(
                        "page-incidents",
                        Map.of(
                                "periodMs",
                                "86400000",
                                "beforeTime::timestamptz",
                                "timestamptz 'infinity'",
                                "beforeId",
                                "9999999",
                                "limit",
                                "100")))
                .contains("konduit_task_incident_detected")
                .doesNotContain("Seq Scan");
    }

    /** A reaper with batches of 500 that tells nobody. */
    private OrphanReclaimer reclaimer() {
        return recovery.reclaimer(
                QueueFixture.policy(Duration.ZERO, 500),
                new ReclaimEvents(
                        QueueFixture.REAPER, new QueueEvents(event -> {}), ReclaimMonitor.NONE, queues -> {}));
    }

    /** The pages that the two statements of a pass that look at tasks have to read. */
    private Map<String, Long> buffers() {
        Map<String, Long> pages = new HashMap<>();
        pages.put(
                "find-expired",
                pagesOf(plan(
                        "find-expired",
                        Map.of(
                                "serverTime::timestamptz", "clock_timestamp()",
                                "graceMs", "0",
                                "afterTime::timestamptz", "'-infinity'::timestamptz",
                                "afterId", Long.toString(Long.MIN_VALUE + 1),
                                "limit", "10000"))));
        pages.put("next-expiry", pagesOf(plan("next-expiry", Map.of())));
        return pages;
    }

    private static long pagesOf(String plan) {
        Matcher buffers =
                Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?").matcher(plan);
        assertThat(buffers.find()).as(plan).isTrue();
        return Long.parseLong(buffers.group(1)) + (buffers.group(2) == null ? 0 : Long.parseLong(buffers.group(2)));
    }

    private String plan(String statement, Map<String, String> parameters) {
        String sql = recovery.database().statements().get(statement).replaceAll("--[^\n]*", "");
        for (Map.Entry<String, String> parameter : parameters.entrySet()) {
            sql = sql.replace(":" + parameter.getKey(), parameter.getValue());
        }
        return String.join(
                "\n",
                recovery.jdbc()
                        .sql("explain (analyze, buffers, costs off, timing off) " + sql)
                        .query(String.class)
                        .list());
    }

    private void insertWaiting(int tasks) {
        recovery.bulk(
                "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                        + " select 'default', 'report', '{}', 2, 'PENDING', clock_timestamp(), clock_timestamp()"
                        + " from generate_series(1, ?) n",
                statement -> statement.setInt(1, tasks));
    }

    private void insertHistory(int tasks, Duration age, int slot) {
        recovery.bulk(
                "insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts, zombie_count,"
                        + " lease_epoch, created_at, finished_at, slot) select nextval('konduit_task_id_seq'), 'default', 'report', '{}',"
                        + " 2, 'COMPLETED', clock_timestamp(), 1, 0, 1, clock_timestamp(),"
                        + " clock_timestamp() - ? * interval '1 ms', ? from generate_series(1, ?) n",
                statement -> {
                    statement.setLong(1, age.toMillis());
                    statement.setInt(2, slot);
                    statement.setInt(3, tasks);
                });
    }

    private void vacuum() {
        database.execute("vacuum analyze");
    }

    private long walBytes() {
        return recovery.count("select (pg_current_wal_insert_lsn() - '0/0')::bigint");
    }

    private static void print(String line, Object... figures) {
        System.out.println("cost: " + String.format(java.util.Locale.ROOT, line, figures));
    }
}
