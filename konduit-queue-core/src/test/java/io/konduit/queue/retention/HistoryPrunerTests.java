package io.konduit.queue.retention;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.DatabaseClock;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.TaskId;
import io.konduit.queue.retention.HistoryPruner.Mode;
import io.konduit.queue.settings.RetentionSettings;
import io.konduit.queue.store.HistorySlots;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The ring of slots that history goes through, on a database clock that stands still. */
@Tag("R1")
@Timeout(60)
class HistoryPrunerTests {
    private static final Instant START = Instant.parse("2031-06-15T12:00:00Z");
    private static final Duration KEEP = Duration.ofDays(6);
    private static final Duration SHARE = Duration.ofDays(1);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final String LIMITED = "konduit_history_limited";

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static DatabaseClock clock;
    private static StatementProbe probe;
    private static QueueFixture owner;
    private static QueueFixture limited;

    private final AtomicLong nanos = new AtomicLong();
    private final List<AutoCloseable> open = new ArrayList<>();
    private LeaseRepository worker;

    @BeforeAll
    static void stopTheClock() {
        clock = DatabaseClock.install(harness.testDatabase(), START);
        harness.testDatabase()
                .execute(
                        "do $$ begin create role " + LIMITED + "; exception when duplicate_object then null; end $$",
                        "grant usage on schema public, test_clock to " + LIMITED,
                        "grant select on test_clock.reading to " + LIMITED,
                        "grant select, insert, update, delete on all tables in schema public to " + LIMITED,
                        "grant usage on all sequences in schema public to " + LIMITED);
        probe = new StatementProbe(harness.testDatabase().newPool(8));
        owner = new QueueFixture(QueueFixture.databaseOn(probe));
        HikariDataSource pool = harness.testDatabase().newPool(4);
        pool.setConnectionInitSql("set role " + LIMITED);
        limited = new QueueFixture(QueueFixture.databaseOn(pool));
    }

    @BeforeEach
    void setUp() {
        clock.set(START);
        harness.testDatabase()
                .execute(
                        "update konduit_history_slot set turn = 0, seen_at = null, opened_at = null, closed_at = null",
                        "update konduit_history_slot set opened_at = '" + START + "' where slot = 0");
        probe.reset();
        worker = owner.newWorker();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    // ---- the ring ----

    @Test
    void completedAndCancelledTasksGoToTheOpenSlot() {
        complete(2);
        owner.queue().cancel(owner.queue().enqueue("report", null));
        later(SHARE);
        pruner().pruneOnce();
        complete(1);

        assertThat(rowsIn(0)).isEqualTo(3);
        assertThat(rowsIn(1)).isEqualTo(1);
    }

    @Test
    void slotTakesASixthOfTheRetention() {
        HistoryPruner pruner = pruner();
        complete(1);
        later(SHARE.minus(MOMENT));
        pruner.pruneOnce();
        assertThat(openSlot()).isZero();

        later(MOMENT);
        pruner.pruneOnce();

        assertThat(openSlot()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void slotIsEmptiedWhenAllOfItIsOldEnoughAndNoSooner(Mode mode) {
        HistoryPruner pruner = pruner(mode, KEEP, 0);
        complete(3);
        later(SHARE);
        pruner.pruneOnce();
        complete(2);

        later(KEEP.minus(MOMENT));
        assertThat(pruner.pruneOnce()).isZero();
        assertThat(rowsIn(0)).isEqualTo(3);
        later(MOMENT);
        assertThat(pruner.pruneOnce()).isEqualTo(1);

        assertThat(rowsIn(0)).isZero();
        assertThat(rows()).isEqualTo(2);
        assertThat(pruner.mode()).isEqualTo(mode);
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void ringGoesRoundAndHoldsNoMoreThanItsRetentionAndAShare(Mode mode) {
        HistoryPruner pruner = pruner(mode, KEEP, 0);
        for (int day = 0; day < 30; day++) {
            complete(1);
            later(SHARE);
            pruner.pruneOnce();
            assertThat(rows()).as("day " + day).isBetween((long) Math.min(day + 1, 6), 7L);
        }
        assertThat(rowsIn("konduit_task_history_rest")).isZero();
    }

    @Test
    void withoutAPassEverythingGoesToTheOpenSlot() {
        complete(1);
        later(Duration.ofDays(400));
        complete(1);

        assertThat(rowsIn(0)).isEqualTo(2);
    }

    @Test
    void nothingIsRemovedWhenNothingIsToBe() {
        HistoryPruner pruner = pruner(Mode.TRUNCATE, Duration.ZERO, 0);
        complete(1);
        later(Duration.ofDays(4_000));
        probe.reset();

        assertThat(pruner.pruneOnce()).isZero();

        assertThat(probe.statements()).isEmpty();
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void passThatRemovesNothingIsSilent() {
        HistoryPruner pruner = pruner();
        complete(1);
        try (CapturedLog log = CapturedLog.ofPackageOf(HistoryPruner.class)) {
            pruner.pruneOnce();
            assertThat(log.at(Level.INFO)).isEmpty();
            later(SHARE);
            pruner.pruneOnce();
            later(KEEP);
            pruner.pruneOnce();

            assertThat(log.at(Level.INFO)).containsExactly("Emptied slot 0 of the history, closed 518400 s ago");
        }
    }

    // ---- retention changes ----

    @Test
    void longerRetentionCountsForWhatIsThere() {
        closedSlot(3);
        later(KEEP.minus(MOMENT));
        HistoryPruner longer = pruner(Mode.TRUNCATE, KEEP.multipliedBy(2), 0);
        longer.pruneOnce();
        later(KEEP);
        assertThat(longer.pruneOnce()).isZero();
        assertThat(rows()).isEqualTo(3);

        later(MOMENT);
        assertThat(longer.pruneOnce()).isEqualTo(1);
    }

    @Test
    void shorterRetentionCountsForWhatIsThere() {
        pruner().pruneOnce();
        closedSlot(3);
        later(Duration.ofHours(2));
        HistoryPruner shorter = pruner(Mode.TRUNCATE, Duration.ofHours(1), 0);
        assertThat(shorter.pruneOnce())
                .as("nobody has measured these two hours, so they count as half an hour")
                .isZero();

        later(Duration.ofMinutes(30));
        assertThat(shorter.pruneOnce()).isEqualTo(1);
    }

    // ---- retention by count ----

    @ParameterizedTest
    @EnumSource(Mode.class)
    void newestTasksAreKeptByCount(Mode mode) {
        HistoryPruner pruner = pruner(mode, Duration.ZERO, 12);
        for (int i = 0; i < 20; i++) {
            complete(2);
            later(RetentionSettings.LEAST_AGE);
            pruner.pruneOnce();
            assertThat(rows()).isBetween((long) Math.min(2 * (i + 1), 12), 16L);
        }
        assertThat(newestIds(12)).isEqualTo(newestIdsInHistory(12));
    }

    @Test
    void whatHasJustEndedIsKeptHoweverManyThereAre() {
        HistoryPruner pruner = pruner(Mode.TRUNCATE, Duration.ZERO, 6);
        for (int i = 0; i < 10; i++) {
            complete(6);
            later(RetentionSettings.LEAST_AGE.dividedBy(20));
            pruner.pruneOnce();
        }

        assertThat(rows()).isEqualTo(60);
    }

    @Test
    void ageRemovesAlsoWhatTheCountWouldKeep() {
        HistoryPruner pruner = pruner(Mode.TRUNCATE, KEEP, 1_000_000);
        complete(3);
        later(SHARE);
        pruner.pruneOnce();
        later(KEEP);

        assertThat(pruner.pruneOnce()).isEqualTo(1);
        assertThat(rows()).isZero();
    }

    // ---- the clock ----

    @ParameterizedTest
    @EnumSource(Mode.class)
    void jumpOfTheClockRemovesNothing(Mode mode) {
        HistoryPruner pruner = pruner(mode, KEEP, 0);
        complete(2);
        later(SHARE);
        pruner.pruneOnce();
        complete(3);
        try (CapturedLog log = CapturedLog.ofPackageOf(HistoryPruner.class)) {
            clock.advance(Duration.ofDays(3650));
            pruner.pruneOnce();

            assertThat(log.at(Level.WARN))
                    .hasSize(1)
                    .first()
                    .asString()
                    .startsWith("The clock of the database jumped by");
        }
        for (int day = 0; day < 5; day++) {
            later(SHARE);
            assertThat(pruner.pruneOnce()).as("day " + day).isZero();
        }
        assertThat(rows()).isEqualTo(5);

        later(SHARE);
        assertThat(pruner.pruneOnce()).as("a week was measured").isEqualTo(1);
        assertThat(rows()).isEqualTo(3);
    }

    @Test
    void jumpThatNobodyMeasuredAddsADayAtMost() {
        pruner().pruneOnce();
        closedSlot(2);
        clock.advance(Duration.ofDays(3650));
        HistoryPruner next = pruner();
        next.pruneOnce();
        for (int day = 0; day < 4; day++) {
            later(SHARE);
            assertThat(next.pruneOnce()).as("day " + day).isZero();
        }
        later(SHARE);

        assertThat(next.pruneOnce()).isEqualTo(1);
    }

    @Test
    void clockThatWasAheadAndCameBackBlocksNothing() {
        HistoryPruner pruner = pruner();
        complete(2);
        pruner.pruneOnce();
        clock.advance(Duration.ofDays(3650));
        pruner.pruneOnce();
        later(SHARE);
        pruner.pruneOnce();
        clock.advance(Duration.ofDays(-3650));
        pruner.pruneOnce();
        later(KEEP.minusDays(1));
        assertThat(pruner.pruneOnce()).isZero();
        later(SHARE.plus(Duration.ofMinutes(2)));

        assertThat(pruner.pruneOnce()).isEqualTo(1);
    }

    // ---- others at work ----

    @Test
    void openReaderDelaysTheSlotAndNobodyElse() throws Exception {
        closedSlot(3);
        later(KEEP);
        HistoryPruner pruner = pruner();
        try (Connection reader = harness.testDatabase().locking("select count(*) from konduit_task_history")) {
            assertThat(pruner.pruneOnce()).isZero();

            assertThat(waitingForLocks())
                    .as("nobody queues behind the truncate")
                    .isZero();
            assertThat(complete(2)).hasSize(2);
            assertThat(rows()).isEqualTo(5);
            reader.rollback();
        }

        assertThat(pruner.pruneOnce()).isEqualTo(1);
        assertThat(rows()).isEqualTo(2);
    }

    @Test
    void readersAndCompletionsGoOnWhileTruncateWaits() throws Exception {
        closedSlot(3);
        later(KEEP);
        List<Lease> leases = IntStream.range(0, 20)
                .mapToObj(i -> owner.running(worker).lease())
                .toList();
        ExecutorService threads = Executors.newSingleThreadExecutor();
        open.add(threads::shutdownNow);
        // the invariants of the tests read history, which the queue itself does not
        harness.testDatabase().execute("alter table konduit_task disable trigger user");
        open.add(() -> harness.testDatabase().execute("alter table konduit_task enable trigger user"));
        try (Connection reader = harness.testDatabase().locking("select count(*) from konduit_task_history_0")) {
            HistorySlots.Slot slot = slots(owner).list().stream()
                    .filter(each -> each.number() == 0)
                    .findFirst()
                    .orElseThrow();
            CompletableFuture<Boolean> truncate =
                    CompletableFuture.supplyAsync(() -> slots(owner).truncate(slot, Duration.ofSeconds(9)), threads);
            org.awaitility.Awaitility.await().until(() -> waitingForLocks() == 1);

            assertThat(worker.complete(leases))
                    .as("behind a truncate that waits")
                    .hasSize(20);

            assertThat(truncate).isNotDone();
            reader.rollback();
            assertThat(truncate.get(20, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(rows()).isEqualTo(20);
    }

    @Test
    void completionThatIsNotCommittedKeepsItsSlot() throws SQLException {
        closedSlot(1);
        later(KEEP);
        try (Connection writer = harness.testDatabase()
                .locking(
                        "insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts,"
                                + " zombie_count, lease_epoch, created_at, finished_at, slot) values (-1, 'default', 'report', '{}', 2,"
                                + " 'COMPLETED', clock_timestamp(), 1, 0, 1, clock_timestamp(), clock_timestamp(), 0)")) {
            assertThat(pruner().pruneOnce()).isZero();
            writer.rollback();
        }
        assertThat(rows()).isEqualTo(1);
    }

    @Test
    void twoLeadersRemoveAndRotateOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        open.add(threads::shutdownNow);
        List<HistoryPruner> leaders = List.of(pruner(), pruner());
        leaders.forEach(HistoryPruner::pruneOnce);
        for (int day = 0; day < 20; day++) {
            complete(1);
            later(SHARE);
            List<CompletableFuture<Integer>> passes = leaders.stream()
                    .map(leader -> CompletableFuture.supplyAsync(leader::pruneOnce, threads))
                    .toList();
            for (CompletableFuture<Integer> pass : passes) {
                pass.get(20, TimeUnit.SECONDS);
            }
            assertThat(
                            harness.count(
                                    "select count(*) from konduit_history_slot where opened_at is not null and closed_at is null"))
                    .isEqualTo(1);
            assertThat(rows()).isBetween((long) Math.min(day + 1, 6), 8L);
        }
    }

    @Test
    void leaderThatComesSecondRotatesNothing() {
        List<HistorySlots.Slot> seen = slots(owner).list();
        HistorySlots.Slot open =
                seen.stream().filter(HistorySlots.Slot::isOpen).findFirst().orElseThrow();
        assertThat(slots(owner).rotate(open, seen.get(1))).isTrue();

        assertThat(slots(owner).rotate(open, seen.get(1))).isFalse();
        assertThat(slots(owner).rotate(open, seen.get(2)))
                .as("another empty slot")
                .isFalse();

        assertThat(openSlot()).isEqualTo(1);
    }

    @Test
    void leaderWithOldNewsOfASlotLeavesItAlone() {
        closedSlot(1);
        HistorySlots.Slot before = slots(owner).list().stream()
                .filter(slot -> slot.closed() != null)
                .findFirst()
                .orElseThrow();
        harness.testDatabase().execute("update konduit_history_slot set turn = 9 where slot = " + before.number());

        assertThat(slots(owner).truncate(before, Duration.ofSeconds(1))).isFalse();

        assertThat(rows()).isEqualTo(1);
    }

    // ---- what others have broken ----

    @Test
    void taskEndsAlsoWithoutAPartitionOrAnOpenSlot() throws SQLException {
        try (Connection owned = harness.testDatabase().connect();
                Statement statement = owned.createStatement()) {
            statement.execute("alter table konduit_task_history detach partition konduit_task_history_0");
            try {
                complete(2);
                assertThat(rowsIn("konduit_task_history_rest")).isEqualTo(2);

                pruner().pruneOnce();
                complete(1);
                assertThat(openSlot()).as("a slot that has its partition").isEqualTo(1);
                assertThat(rowsIn(1)).isEqualTo(1);
            } finally {
                statement.execute("delete from konduit_task_history_rest");
                statement.execute(
                        "alter table konduit_task_history attach partition konduit_task_history_0 for values in (0)");
            }
            statement.execute("update konduit_history_slot set opened_at = null, closed_at = null");
            complete(4);
            assertThat(rowsIn("konduit_task_history_rest")).isEqualTo(4);
            pruner().pruneOnce();
            complete(1);
            assertThat(rowsIn("konduit_task_history_rest")).isEqualTo(4);
        }
    }

    @Test
    void rowsWithoutASlotAreDeletedWhenTheyAreOldEnough() {
        harness.testDatabase().execute("update konduit_history_slot set opened_at = null, closed_at = null");
        complete(3);
        HistoryPruner pruner = pruner();
        pruner.pruneOnce();
        later(KEEP.minus(MOMENT));
        pruner.pruneOnce();
        assertThat(rowsIn("konduit_task_history_rest")).isEqualTo(3);

        later(MOMENT);
        pruner.pruneOnce();

        assertThat(rows()).isZero();
    }

    // ---- without the right ----

    @Test
    void roleThatMayNotTruncateDeletesInBatchesThatAreEachATransaction() {
        harness.testDatabase().execute("revoke truncate on konduit_task_history_0 from " + LIMITED);
        closedSlot(25);
        later(KEEP);
        HistoryPruner pruner = new HistoryPruner(slots(limited), settings(KEEP, 0, 10), nanos::get);

        assertThat(pruner.pruneOnce()).isEqualTo(1);

        assertThat(pruner.mode()).isEqualTo(Mode.DELETE);
        assertThat(rows()).isZero();
        assertThat(slots(limited).list())
                .filteredOn(slot -> slot.number() == 0)
                .allMatch(slot -> slot.closed() == null);
    }

    @Test
    void rightToTruncateIsEnough() {
        harness.testDatabase()
                .execute(slotTables()
                        .map(t -> "grant truncate on " + t + " to " + LIMITED)
                        .toArray(String[]::new));
        try {
            closedSlot(2);
            later(KEEP);
            HistoryPruner pruner = new HistoryPruner(slots(limited), settings(KEEP, 0, 10), nanos::get);

            assertThat(pruner.pruneOnce()).isEqualTo(1);

            assertThat(pruner.mode()).isEqualTo(Mode.TRUNCATE);
            assertThat(rows()).isZero();
        } finally {
            harness.testDatabase()
                    .execute(slotTables()
                            .map(t -> "revoke truncate on " + t + " from " + LIMITED)
                            .toArray(String[]::new));
        }
    }

    @Test
    void rowThatSomebodyHasLockedIsSkippedAndRemovedLater() throws SQLException {
        closedSlot(12);
        later(KEEP);
        HistoryPruner pruner = new HistoryPruner(slots(limited), settings(KEEP, 0, 10), nanos::get);
        try (Connection other =
                harness.testDatabase().locking("select 1 from konduit_task_history order by id limit 11 for update")) {
            assertThat(pruner.pruneOnce()).isZero();
            assertThat(harness.count("select count(*) from konduit_task_history"))
                    .isEqualTo(11);
            other.rollback();
        }

        assertThat(pruner.pruneOnce()).isEqualTo(1);
        assertThat(rows()).isZero();
    }

    /** Readers keep dead rows in the table. Each batch would read all those of the batches before it. */
    @Test
    @Tag("R2")
    void deadRowsAreNotReadAgain() throws SQLException {
        insertInto(0, 6_000);
        closeOpenSlot();
        later(KEEP);
        HistorySlots slots = slots(limited);
        try (Connection reader = harness.testDatabase().locking("select count(*) from konduit_task");
                Statement snapshot = reader.createStatement()) {
            reader.rollback();
            snapshot.execute("set transaction isolation level repeatable read");
            snapshot.execute("select 1 from konduit_history_slot");
            HistorySlots.Batch first = slots.prune(0, KEEP, HistorySlots.beginning(), 1_000);
            String position = first.reached();
            for (int batch = 1; batch < 5; batch++) {
                position = slots.prune(0, KEEP, position, 1_000).reached();
            }
            assertThat(first.removed()).isEqualTo(1_000);
            assertThat(rows()).isEqualTo(1_000);
            String plan = explain("prune-slot", position);

            assertThat(plan).contains("Tid Range Scan on konduit_task_history_0");
            assertThat(pagesOfTidRangeScan(plan)).isLessThan(40);
        }
    }

    @Test
    void nextPassStartsWhereTheLastOneStopped() throws SQLException {
        closedSlot(20);
        later(KEEP);
        HistoryPruner pruner = new HistoryPruner(slots(limited), settings(KEEP, 0, 5), nanos::get);
        try (Connection other = harness.testDatabase()
                .locking(
                        "select 1 from konduit_task_history where id = (select max(id) from konduit_task_history) for update")) {
            pruner.pruneOnce();
            assertThat(rows()).isEqualTo(1);
            other.rollback();
        }
        // a row before the place where the last pass stopped, which only a pass from the beginning would find
        assertThat(pruner.pruneOnce()).isEqualTo(1);
    }

    // ---- what goes with a task ----

    @ParameterizedTest
    @EnumSource(Mode.class)
    void errorsGoWithTheirTask(Mode mode) {
        complete(3);
        harness.testDatabase().execute(error("select id from konduit_task_history"), error("select -5"));
        closeOpenSlot();
        complete(1);
        harness.testDatabase().execute(error("select max(id) from konduit_task_history"));
        later(KEEP);
        HistoryPruner pruner = pruner(mode, KEEP, 0, 2);

        assertThat(pruner.pruneOnce()).isEqualTo(1);

        assertThat(harness.jdbc()
                        .sql("select task_id from konduit_task_error")
                        .query(Long.class)
                        .list())
                .as("of a task that is not in the slot, and of the one that is kept")
                .containsExactlyInAnyOrder(-5L, newestIds(1).get(0));
    }

    @Test
    void waitingAndHeldTasksAreNeverRemoved() {
        TaskId waiting = owner.queue().enqueue("report", null);
        closedSlot(1);
        later(KEEP);

        pruner().pruneOnce();

        assertThat(owner.status(waiting.value())).isEqualTo("PENDING");
    }

    // ---- reads ----

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select status from konduit_tasks where id = 4711",
                "select id from konduit_task_history where id < 4711 order by id desc limit 50"
            })
    @Tag("R2")
    void historyIsFoundByItsKeyInEverySlot(String query) {
        for (int slot = 0; slot < 8; slot++) {
            insertInto(slot, 3_000);
        }
        slotTables().forEach(table -> harness.testDatabase().execute("analyze " + table));

        String plan = String.join(
                "\n", harness.jdbc().sql("explain " + query).query(String.class).list());

        assertThat(plan)
                .doesNotContainPattern("Seq Scan on konduit_task_history_\\d")
                .contains("_7_pkey");
    }

    private HistoryPruner pruner() {
        return pruner(Mode.TRUNCATE, KEEP, 0);
    }

    private HistoryPruner pruner(Mode mode, Duration keep, long count) {
        return pruner(mode, keep, count, 10);
    }

    private HistoryPruner pruner(Mode mode, Duration keep, long count, int batchSize) {
        return new HistoryPruner(
                slots(mode == Mode.TRUNCATE ? owner : limited), settings(keep, count, batchSize), nanos::get);
    }

    private static RetentionSettings settings(Duration keep, long count, int batchSize) {
        return new RetentionSettings(keep, KEEP, KEEP, KEEP, KEEP, Duration.ofMinutes(10), batchSize, count);
    }

    private static HistorySlots slots(QueueFixture fixture) {
        return new HistorySlots(fixture.database());
    }

    /** Time passes, for the database and for this instance. */
    private void later(Duration by) {
        clock.advance(by);
        nanos.addAndGet(by.toNanos());
    }

    private List<Long> complete(int count) {
        List<Lease> leases = IntStream.range(0, count)
                .mapToObj(i -> owner.running(worker).lease())
                .toList();
        return worker.complete(leases).stream().map(Lease::taskId).toList();
    }

    /** Rows in a slot that is closed now, and an open slot after it. A pass has just been made. */
    private void closedSlot(int rows) {
        complete(rows);
        closeOpenSlot();
    }

    private void closeOpenSlot() {
        long number = openSlot();
        harness.testDatabase()
                .execute(
                        "update konduit_history_slot set closed_at = test_clock.clock_timestamp() where slot = "
                                + number,
                        "update konduit_history_slot set opened_at = test_clock.clock_timestamp(), turn = turn + 1 where slot = "
                                + (number + 1));
    }

    private void insertInto(int slot, int rows) {
        harness.testDatabase()
                .execute(
                        "insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts,"
                                + " zombie_count, lease_epoch, created_at, finished_at, slot) select nextval('konduit_task_id_seq'), 'default',"
                                + " 'report', '{}', 2, 'COMPLETED', '" + START + "', 1, 0, 1, '" + START + "', '"
                                + START.minusSeconds(1) + "', " + slot + " from generate_series(1, " + rows + ")");
    }

    private static String error(String ids) {
        return "insert into konduit_task_error (task_id, lease_epoch, attempt, type, stack, outcome, worker, at)"
                + " select id, 1, 1, 'java.io.IOException', 'at x.Y', 'RETRIED', gen_random_uuid(), clock_timestamp()"
                + " from (" + ids + ") as t(id)";
    }

    private static Stream<String> slotTables() {
        return IntStream.range(0, 8).mapToObj(slot -> "konduit_task_history_" + slot);
    }

    private String explain(String statement, String after) {
        String sql = owner.database()
                .statements()
                .get(statement + ":0")
                .replace(":slot::smallint", "0::smallint")
                .replace(":keepMs", Long.toString(KEEP.toMillis()))
                .replace(":after::tid", "'" + after + "'::tid")
                .replace(":limit", "1000");
        return String.join(
                "\n",
                owner.jdbc()
                        .sql("explain (analyze, buffers) " + sql)
                        .query(String.class)
                        .list());
    }

    private static int pagesOfTidRangeScan(String plan) {
        var buffers = java.util.regex.Pattern.compile(
                        "Tid Range Scan[^\\n]*\\n(?:(?!Buffers)[^\\n]*\\n)*?\\s*Buffers: shared hit=(\\d+)")
                .matcher(plan);
        assertThat(buffers.find()).as(plan).isTrue();
        return Integer.parseInt(buffers.group(1));
    }

    private long openSlot() {
        return harness.count("select slot from konduit_history_slot where opened_at is not null and closed_at is null");
    }

    private List<Long> newestIds(int count) {
        return harness.jdbc()
                .sql("select id from konduit_tasks order by id desc limit " + count)
                .query(Long.class)
                .list();
    }

    private List<Long> newestIdsInHistory(int count) {
        long last = harness.count("select last_value from konduit_task_id_seq");
        return java.util.stream.LongStream.iterate(last, id -> id - 1)
                .limit(count)
                .boxed()
                .toList();
    }

    private long rows() {
        return rowsIn("konduit_task_history");
    }

    private long rowsIn(int slot) {
        return rowsIn("konduit_task_history_" + slot);
    }

    private long rowsIn(String table) {
        return harness.count("select count(*) from " + table);
    }

    private static long waitingForLocks() {
        return harness.count("select count(*) from pg_locks where not granted and locktype = 'relation'"
                + " and database = (select oid from pg_database where datname = current_database())");
    }
}
