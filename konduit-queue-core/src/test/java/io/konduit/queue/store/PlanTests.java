package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.insert.NewTask;
import io.konduit.queue.insert.TaskInserts;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.jdbc.SqlStatements;
import io.konduit.queue.schedule.ScheduleFirer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * R2: no statement grows with history or backlog. Each hot statement is explained with real parameters on a full table;
 * {@link MillionRowPlanTests} does the same with a million rows and shows the figures of {@code docs/cost.md}.
 */
@Tag("R2")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class PlanTests {
    private static final int BATCH = 20;
    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    private static final Pattern CTE = Pattern.compile("CTE (\\w+)\\n\\s+->  (?:Insert|Update|Delete)");
    private static final Pattern REMOVED = Pattern.compile("Rows Removed by (?:Join )?Filter: (\\d+)");

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    /** How many tasks wait, and as many are in history. */
    int rows() {
        return 20_000;
    }

    @Test
    void hotStatementsReadAFewPagesHoweverMuchWaitsOrIsDone() {
        fill();
        analyze();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            Map<String, String> plans = explainAll(counted);
            assertThat(plans.keySet())
                    .contains(
                            "claim",
                            "extend",
                            "complete",
                            "complete-in-transaction",
                            "fail",
                            "give-back",
                            "enqueue",
                            "enqueue-unique",
                            "find-by-unique-key",
                            "enqueue-many",
                            "enqueue-many-same-shape",
                            "enqueue-many-unique",
                            "already-applied",
                            "guard",
                            "checkpoint",
                            "cancel",
                            "find");
            report("full", plans);
            plans.forEach(PlanTests::assertCheap);
        }
    }

    /** What a worker asks now and then beside its claims. */
    @Test
    void looksForLostClaimsAndForTypesWithoutAHandlerReadAFewPages() {
        fill();
        analyze();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            LeaseRepository worker = new LeaseRepository(counted.database(), UUID.randomUUID());
            counted.journal().explain(true);
            assertThat(worker.findUnhandled(List.of("default"), List.of("other"), 100))
                    .hasSize(400);
            assertThat(worker.nextDue(List.of("default"), Duration.ZERO).overdue())
                    .isTrue();
            assertThat(worker.heldSince(null)).isEmpty();
            Lease lost = new Lease(1, 1, 0);
            assertThat(worker.findLost(List.of(lost))).containsExactly(1L);
            assertThat(worker.isCancelled(lost)).isFalse();
            assertThat(counted.journal().plans()).hasSize(5);
            counted.journal().plans().forEach((sql, plan) -> {
                assertThat(plan).doesNotContainPattern("Seq Scan on konduit_task(_history(_\\d)?)?\\b");
                assertThat(pages(plan)).as(plan).isLessThan(1_500);
            });
        }
    }

    /** Ten of them are due. What each statement reads depends on those, not on how many there are. */
    @Test
    @Tag("P11")
    void firingOneOfManySchedulesReadsNoMoreThanOneOfTen() {
        Map<String, Integer> few = firing(10);
        Map<String, Integer> many = firing(100_000);
        assertThat(many.keySet()).isEqualTo(few.keySet()).hasSize(3);
        // 15 pages more per firing: it goes through a few levels more of each index
        many.forEach((statement, pages) ->
                assertThat(pages).as(statement).isLessThanOrEqualTo(few.get(statement) + 10 * 20));
    }

    /** The pages that the statements of a pass read, by how they begin. */
    private Map<String, Integer> firing(int schedules) {
        harness.testDatabase()
                .execute(
                        "truncate konduit_schedule, konduit_schedule_firing",
                        "insert into konduit_schedule (name, every_ms, catch_up, overlap, next_at, last_task_id, declared, type,"
                                + " queue, payload, priority, created_at) select 'schedule ' || n, 3600000, 'LATEST', 'SKIP',"
                                + " clock_timestamp() + (n - 10.5) * interval '1 minute', n, false, 'report', 'default', '{}', 2,"
                                + " clock_timestamp() from generate_series(1, " + schedules + ") n",
                        "insert into konduit_schedule_firing (schedule, nominal_at, outcome, dropped, recorded_at)"
                                + " select 'schedule ' || n, clock_timestamp() - interval '1 day', 'FIRED', 0, clock_timestamp()"
                                + " from generate_series(1, " + schedules + ") n",
                        "vacuum analyze konduit_schedule",
                        "vacuum analyze konduit_schedule_firing");
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            ScheduleFirer firer =
                    new QueueFixture(counted.database()).engine().build().scheduleFirer();
            ScheduleRepository store = new ScheduleRepository(counted.database());
            counted.journal().explain(true);
            assertThat(firer.fireOnce()).isEqualTo(10);
            assertThat(store.untilNext()).isPresent();
            Map<String, Integer> pages = new TreeMap<>();
            counted.journal().plans().forEach((sql, plan) -> {
                if (schedules > 10) {
                    assertThat(plan).doesNotContain("Seq Scan on konduit_schedule");
                }
                print("schedules: " + schedules + ": " + sql.lines().findFirst().orElseThrow() + ": " + pages(plan)
                        + " pages");
                pages.put(sql.lines().findFirst().orElseThrow(), pages(plan));
            });
            return pages;
        }
    }

    private static void print(String line) {
        org.slf4j.LoggerFactory.getLogger(PlanTests.class).info(line);
    }

    /** A million tasks of tomorrow at a better priority, and a million in a paused queue. */
    @Test
    void claimIsNotKeptByWhatIsNotDueOrPaused() {
        insertTasks("default", "0", "clock_timestamp() + interval '1 day'", rows());
        insertTasks("paused", "0", "clock_timestamp() - interval '1 day'", rows());
        insertTasks("default", "2", "clock_timestamp() - interval '1 min'", 1_000);
        harness.testDatabase()
                .execute(
                        "insert into konduit_queue (name, paused_at, paused_by) values ('paused', clock_timestamp(), 'Ada')",
                        "vacuum analyze konduit_task");
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            LeaseRepository worker = new LeaseRepository(counted.database(), UUID.randomUUID());
            counted.journal().explain(true);
            List<ClaimedTask> claimed = worker.claimDue(request("paused", "default"));
            Map<String, String> plans = named(counted.journal().plans());
            harness.testDatabase().execute("delete from konduit_queue");
            report("future", plans);
            assertThat(claimed).hasSize(BATCH).allSatisfy(task -> assertThat(task.queue())
                    .isEqualTo("default"));
            plans.forEach(PlanTests::assertCheap);
        }
    }

    /** Somebody's long transaction keeps every dead row and index entry alive: what was done must not be read again. */
    @Test
    void outcomesStayCheapWhileALongTransactionPinsWhatIsGone() throws SQLException {
        insertTasks("default", "2", "clock_timestamp() - interval '1 min'", rows() / 4);
        analyze();
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement();
                CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            other.setAutoCommit(false);
            other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("select count(*) from konduit_task");
            LeaseRepository busy = harness.newWorker();
            for (int done = 0; done < rows() / 5; done += 1_000) {
                List<Lease> leases = harness.claim(busy, 1_000).stream()
                        .map(ClaimedTask::lease)
                        .toList();
                busy.extend(
                        leases.stream().collect(Collectors.toMap(Function.identity(), lease -> Duration.ofMinutes(5))));
                busy.complete(leases);
            }
            LeaseRepository worker = new LeaseRepository(counted.database(), UUID.randomUUID());
            List<Lease> leases = leases(worker.claimDue(request("default")));
            counted.journal().explain(true);
            worker.extend(
                    leases.stream().collect(Collectors.toMap(Function.identity(), lease -> Duration.ofMinutes(5))));
            worker.fail(leases.subList(0, 5).stream()
                    .map(lease -> new Failure(lease, false, Duration.ZERO, "error"))
                    .toList());
            worker.giveBack(leases.subList(5, 10), Duration.ZERO);
            worker.complete(leases.subList(10, 20));
            Map<String, String> plans = named(counted.journal().plans());
            report("pinned", plans);
            assertThat(plans).hasSize(4);
            plans.forEach(PlanTests::assertCheap);
        }
    }

    /**
     * The driver keeps the plans of statements that it has used a few times. The tables of a fresh install are empty and
     * analysed; plans made then must not read the whole table when it has grown.
     */
    @Test
    void plansOfTheApplicationsConnectionsSurviveTheGrowthOfTheTable() {
        analyze();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            counted.application().setMaximumPoolSize(1);
            TaskInserts inserts = new TaskInserts(counted.database());
            TaskRepository tasks = new TaskRepository(counted.database());
            LeaseRepository worker = new LeaseRepository(counted.database(), UUID.randomUUID());
            TransactionTemplate transaction =
                    new TransactionTemplate(new DataSourceTransactionManager(counted.application()));
            for (int i = 0; i < 20; i++) {
                useApplicationConnection(inserts, tasks, worker, transaction, "small " + i);
            }
            fill();
            Lease lease = claimOne(inserts, worker);
            List<String> scans = new ArrayList<>();
            transaction.executeWithoutResult(status ->
                    scans.addAll(scansOf(counted.application(), () -> step(inserts, tasks, worker, lease, "grown"))));
            assertThat(scans).isEmpty();
        }
    }

    /** The statistics still say that the table is empty: autovacuum comes later. */
    @Test
    void controlStatementsDoNotScanATableThatHasJustGrown() {
        analyze();
        LeaseRepository worker = harness.newWorker();
        harness.claim(worker, 1);
        fill();
        QueueDatabase database = harness.database();
        database.inControlTransaction(() -> {
            assertThat(scansOf(database.control(), () -> {
                        List<Lease> leases = leases(worker.claimDue(request("default")));
                        worker.extend(leases.stream()
                                .collect(Collectors.toMap(Function.identity(), lease -> Duration.ofMinutes(5))));
                        worker.complete(leases.subList(0, 5));
                        worker.complete(leases.subList(0, 5));
                        worker.fail(leases.subList(5, 10).stream()
                                .map(lease -> new Failure(lease, false, Duration.ZERO, "error"))
                                .toList());
                        worker.giveBack(leases.subList(10, 15), Duration.ZERO);
                        worker.completeUnlocked(leases.subList(15, 20));
                        new IncidentRepository(database).recordLateOutcome(leases, worker.worker(), "COMPLETED");
                    }))
                    .isEmpty();
            return null;
        });
    }

    /** Which tables the work, inside a transaction, read from end to end. */
    private static List<String> scansOf(DataSource dataSource, Runnable work) {
        Map<String, Long> before = scannedRows(dataSource);
        work.run();
        List<String> scans = new ArrayList<>();
        scannedRows(dataSource).forEach((table, read) -> {
            if (read > before.get(table)) {
                scans.add(table + ": " + (read - before.get(table)) + " rows");
            }
        });
        return scans;
    }

    private static void useApplicationConnection(
            TaskInserts inserts,
            TaskRepository tasks,
            LeaseRepository worker,
            TransactionTemplate transaction,
            String key) {
        Lease lease = claimOne(inserts, worker);
        transaction.executeWithoutResult(status -> step(inserts, tasks, worker, lease, key));
    }

    private static Lease claimOne(TaskInserts inserts, LeaseRepository worker) {
        inserts.enqueue(new NewTask("warm", "t", "1", 0, null, Duration.ZERO, 3, true, null, null, null, null));
        return worker.claimDue(request("warm")).get(0).lease();
    }

    /** Everything that runs on the application's connections. */
    private static void step(
            TaskInserts inserts, TaskRepository tasks, LeaseRepository worker, Lease lease, String key) {
        TaskId enqueued = inserts.enqueue(newTask(null)).id();
        inserts.enqueue(newTask(key));
        inserts.enqueue(newTask(key));
        inserts.enqueueAll(List.of(newTask(null), newTask(key)), true);
        assertThat(tasks.find(enqueued)).isPresent();
        assertThat(tasks.cancel(enqueued, "Ada", null)).isTrue();
        assertThat(worker.isHeld(lease)).isTrue();
        assertThat(worker.guardInTransaction(lease)).isTrue();
        assertThat(worker.checkpoint(lease, Duration.ofMinutes(5), "1")).isTrue();
        assertThat(worker.extendInTransaction(lease, Duration.ofMinutes(5))).isTrue();
        assertThat(worker.completeInTransaction(lease)).isTrue();
    }

    private static Map<String, Long> scannedRows(DataSource dataSource) {
        return JdbcClient.create(dataSource)
                .sql("select relname, seq_tup_read from pg_stat_xact_user_tables where relname like 'konduit_task%'")
                .query((row, number) -> Map.entry(row.getString(1), row.getLong(2)))
                .list()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private Map<String, String> explainAll(CountedQueue counted) {
        TaskInserts inserts = new TaskInserts(counted.database());
        TaskRepository tasks = new TaskRepository(counted.database());
        LeaseRepository worker = new LeaseRepository(counted.database(), UUID.randomUUID());
        TransactionTemplate transaction =
                new TransactionTemplate(new DataSourceTransactionManager(counted.application()));
        counted.journal().explain(true);

        inserts.enqueue(newTask(null));
        TaskId enqueued = inserts.enqueue(newTask(null)).id();
        inserts.enqueue(newTask("key"));
        inserts.enqueue(newTask("key"));
        inserts.enqueueAll(java.util.Collections.nCopies(BATCH, newTask(null)), false);
        inserts.enqueueAll(
                IntStream.range(0, BATCH)
                        .mapToObj(i -> newTask(null, Duration.ofMillis(i)))
                        .toList(),
                false);
        inserts.enqueueAll(
                IntStream.range(0, BATCH).mapToObj(i -> newTask("many " + i)).toList(), true);
        tasks.find(enqueued);
        tasks.cancel(enqueued, "Ada", null);

        List<Lease> leases = leases(worker.claimDue(request("default")));
        worker.extend(leases.stream().collect(Collectors.toMap(Function.identity(), lease -> Duration.ofMinutes(5))));
        worker.complete(leases);
        worker.complete(leases); // again, as after a lost reply
        worker.complete(leases(worker.claimDue(request("default"))));
        leases = leases(worker.claimDue(request("default")));
        worker.fail(leases.stream()
                .map(lease -> new Failure(lease, false, Duration.ofHours(1), "error"))
                .toList());
        leases = leases(worker.claimDue(request("default")));
        Lease one = leases.get(0);
        transaction.executeWithoutResult(status -> worker.guardInTransaction(one));
        worker.checkpoint(one, Duration.ofMinutes(5), "1");
        Map<String, String> plans = new TreeMap<>(named(counted.journal().plans()));
        counted.journal().clear();
        transaction.executeWithoutResult(status -> worker.completeInTransaction(one));
        plans.put("complete-in-transaction", named(counted.journal().plans()).get("complete"));
        worker.giveBack(leases.subList(1, leases.size()), Duration.ZERO);
        plans.putAll(Map.of("give-back", named(counted.journal().plans()).get("give-back")));
        return plans;
    }

    private static List<Lease> leases(List<ClaimedTask> claimed) {
        assertThat(claimed).hasSize(BATCH);
        return claimed.stream().map(ClaimedTask::lease).toList();
    }

    private static NewTask newTask(String key) {
        return newTask(key, Duration.ZERO);
    }

    private static NewTask newTask(String key, Duration delay) {
        return new NewTask("default", "t", "{\"n\": 1}", 2, null, delay, 3, true, null, null, key, null);
    }

    private static ClaimRequest request(String... queues) {
        return new ClaimRequest(
                QueueFixture.probes(queues),
                BATCH,
                Duration.ofMinutes(5),
                3,
                List.of(new ClaimRequest.Declared("t", null, 5, true)),
                List.of("t", "other-type"));
    }

    /** Plans by the name of the statement's file; the read side has none. */
    private static Map<String, String> named(Map<String, String> bySql) {
        Map<String, String> files = new TreeMap<>();
        SqlStatements statements = harness.database().statements();
        for (String name : List.of(
                "claim",
                "extend",
                "complete",
                "fail",
                "give-back",
                "enqueue",
                "enqueue-unique",
                "find-by-unique-key",
                "enqueue-many",
                "enqueue-many-same-shape",
                "enqueue-many-unique",
                "already-applied",
                "guard",
                "checkpoint",
                "cancel",
                "resolve-incidents")) {
            files.put(withoutParameters(statements.get(name)), name);
        }
        return bySql.entrySet().stream()
                .collect(Collectors.toMap(
                        entry -> files.getOrDefault(withoutParameters(entry.getKey()), "find"), Map.Entry::getValue));
    }

    private static String withoutParameters(String sql) {
        return sql.replaceAll("--[^\\n]*", "")
                .replaceAll("(?<!:):[A-Za-z]+|\\?", "?")
                .replaceAll("\\s+", " ");
    }

    private static void assertCheap(String name, String plan) {
        assertThat(plan).as(name).doesNotContainPattern("Seq Scan on konduit_task(_history(_\\d)?|_incident)?\\b");
        // nothing is read only to be thrown away: dead index entries would make that grow without end
        assertThat(REMOVED.matcher(plan).results().mapToInt(found -> Integer.parseInt(found.group(1))))
                .as(name + "\n" + plan)
                .allMatch(removed -> removed <= BATCH);
        // a batch of twenty writes heap and indexes of twenty rows; nothing else is read
        assertThat(pages(plan)).as(name + "\n" + plan).isLessThan(1_500);
    }

    /** Of the whole statement: its first line counts all but writes in a CTE that nobody reads, which come at the end. */
    private static int pages(String plan) {
        int pages = firstBuffers(plan, 0);
        Matcher cte = CTE.matcher(plan);
        while (cte.find()) {
            if (!plan.contains("CTE Scan on " + cte.group(1))) {
                pages += firstBuffers(plan, cte.end());
            }
        }
        return pages;
    }

    private static int firstBuffers(String plan, int from) {
        Matcher buffers = BUFFERS.matcher(plan);
        return buffers.find(from) ? number(buffers.group(1)) + number(buffers.group(2)) : 0;
    }

    private static int number(String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    /** The figures are for people: they stand beside the test's output. */
    private void report(String situation, Map<String, String> plans) {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(plans)
                .forEach((name, plan) ->
                        text.append("== %s, %d rows: %d pages%n%s%n".formatted(name, rows(), pages(plan), plan)));
        try {
            Path folder = Files.createDirectories(Path.of("target", "plans"));
            Files.writeString(folder.resolve(situation + "-" + rows() + ".txt"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void fill() {
        insertTasks("default", "i % 4", "clock_timestamp() - i * interval '10 milliseconds'", rows());
        harness.testDatabase()
                .execute(
                        "set session_replication_role = replica",
                        "insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts,"
                                + " max_attempts, reapable, zombie_count, lease_epoch, locked_by, locked_at, created_at, finished_at, slot)"
                                + " select nextval('konduit_task_id_seq'), 'default', 't', '{\"n\": 1}', 2, 'COMPLETED', clock_timestamp(),"
                                + " 1, 3, true, 0, 1, gen_random_uuid(), clock_timestamp(), clock_timestamp(),"
                                + " clock_timestamp() - i * interval '10 milliseconds', i % 8 from generate_series(1, "
                                + rows()
                                + ") as i",
                        "insert into konduit_task (queue, type, payload, priority, status, run_at, attempts, max_attempts, reapable,"
                                + " lease_epoch, locked_by, locked_at, lock_timeout_at, created_at)"
                                + " select 'default', 't', '{\"n\": 1}', 2, 'RUNNING', clock_timestamp(), 1, 3, true, 1, gen_random_uuid(),"
                                + " clock_timestamp(), clock_timestamp() + interval '5 min', clock_timestamp() from generate_series(1, 200)",
                        "insert into konduit_task (queue, type, payload, priority, status, run_at, attempts, max_attempts, reapable,"
                                + " lease_epoch, finished_at, created_at)"
                                + " select 'default', 't', '{\"n\": 1}', 2, 'FAILED', clock_timestamp(), 3, 3, true, 3, clock_timestamp(),"
                                + " clock_timestamp() from generate_series(1, " + rows() / 50 + ")",
                        "insert into konduit_task_incident (task_id, queue, type, classification, action, actor, lease_epoch,"
                                + " detected_at, attempts, zombie_count)"
                                + " select i, 'default', 't', 'ZOMBIE', 'RECLAIMED', 'test', 1, clock_timestamp(), 1, 1"
                                + " from generate_series(1, " + rows() / 10 + ") as i");
    }

    private static void analyze() {
        harness.testDatabase().execute("vacuum analyze konduit_task, konduit_task_history, konduit_task_incident");
    }

    private static void insertTasks(String queue, String priority, String runAt, int count) {
        harness.testDatabase()
                .execute(
                        "set session_replication_role = replica",
                        "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                                + " select '" + queue + "', 't', '{\"n\": 1}', " + priority + ", 'PENDING', " + runAt
                                + ", clock_timestamp() from generate_series(1, " + count + ") as i");
    }
}
