package io.konduit.queue.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.CatchUp;
import io.konduit.queue.InvalidScheduleException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.Overlap;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Recurring;
import io.konduit.queue.Schedule;
import io.konduit.queue.ScheduleFiring;
import io.konduit.queue.ScheduleFiring.Outcome;
import io.konduit.queue.ScheduleInfo.PauseReason;
import io.konduit.queue.ScheduleNotFoundException;
import io.konduit.queue.ScheduleStateException;
import io.konduit.queue.Schedules;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.InvalidRequestException;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.DueSchedule;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.ScheduleRepository;
import io.konduit.queue.store.WorkerRepository;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;

/** Schedules on a database whose clock stands still unless a test moves it. */
class ScheduleTests {
    private static final Instant NOON = Instant.parse("2026-05-04T12:00:00Z");

    @RegisterExtension
    static final QueueHarness harness = QueueHarness.stoppedAt(NOON);

    private final Counted counted = new Counted();
    private QueueEngine engine;
    private Schedules schedules;

    static final class Reports {
        @JobHandler("report")
        void report(TaskContext task) {}
    }

    static final class Nightly {
        @JobHandler("nightly")
        @Recurring(cron = "0 30 2 * * *", zone = "Europe/Berlin")
        void report(TaskContext task) {}
    }

    static final class Earlier {
        @JobHandler("nightly")
        @Recurring(cron = "0 0 1 * * *", zone = "UTC", overlap = Overlap.ALLOW)
        void report(TaskContext task) {}
    }

    static final class Hourly {
        @JobHandler("hourly")
        @Recurring(every = "1h")
        void run() {}
    }

    /** What the metrics were told. */
    private static final class Counted implements ScheduleMonitor {
        private final List<Duration> lateness = new ArrayList<>();
        private int skipped;
        private long dropped;

        @Override
        public void fired(String queue, String type, Duration late) {
            lateness.add(late);
        }

        @Override
        public void skipped(String queue, String type) {
            skipped++;
        }

        @Override
        public void dropped(String queue, String type, long times) {
            dropped += times;
        }
    }

    @BeforeEach
    void create() {
        engine = engine(new Reports());
        schedules = engine.schedules();
    }

    private QueueEngine engine(Object... handlers) {
        return harness.engine(handlers).scheduleMonitor(() -> counted).build();
    }

    private static Schedule everyMinute() {
        return Schedule.of("sync", TaskRequest.of("report", null)).every(Duration.ofMinutes(1));
    }

    /** The nominal times that have tasks, live or done. */
    private static List<Instant> fired() {
        return harness.jdbc()
                .sql("select scheduled_for from konduit_tasks where schedule is not null order by scheduled_for, id")
                .query((row, number) -> row.getObject(1, OffsetDateTime.class).toInstant())
                .list();
    }

    private static List<Instant> minutes(int... minutes) {
        return java.util.Arrays.stream(minutes)
                .mapToObj(minute -> NOON.plusSeconds(60L * minute))
                .toList();
    }

    private void advance(Duration time) {
        harness.clock().advance(time);
    }

    private void fireAt(int minute) {
        harness.clock().set(NOON.plusSeconds(60L * minute));
        engine.scheduleFirer().fireOnce();
    }

    private ClaimedTask claim() {
        return QueueFixture.claim(harness.newWorker(), 1, List.of("report", "nightly", "hourly"))
                .get(0);
    }

    /** Completes everything that has fired. */
    private void complete() {
        LeaseRepository worker = harness.newWorker();
        worker.complete(QueueFixture.claim(worker, 1_000, List.of("report", "nightly", "hourly")).stream()
                .map(ClaimedTask::lease)
                .toList());
    }

    // ---- P1, P2: a firing ----

    @Test
    @Tag("P1")
    @Tag("P2")
    void firingMakesTheTaskRecordsTheTimeAndMovesOn() {
        schedules.put(everyMinute());
        fireAt(0);
        assertThat(fired()).isEmpty();

        fireAt(1);

        assertThat(fired()).isEqualTo(minutes(1));
        assertThat(schedules.find("sync")).get().satisfies(found -> {
            assertThat(found.nextAt()).isEqualTo(NOON.plusSeconds(120));
            assertThat(found.every()).isEqualTo(Duration.ofMinutes(1));
            assertThat(found.declared()).isFalse();
            assertThat(found.paused()).isNull();
        });
        assertThat(schedules.firings("sync", 10)).singleElement().satisfies(firing -> {
            assertThat(firing.outcome()).isEqualTo(Outcome.FIRED);
            assertThat(firing.nominalAt()).isEqualTo(NOON.plusSeconds(60));
            assertThat(firing.task())
                    .isEqualTo(schedules.find("sync").orElseThrow().lastTask());
            assertThat(firing.dropped()).isZero();
        });
        assertThat(harness.wakeUps()).isNotNull();
        assertThat(engine.scheduleFirer().fireOnce()).isZero();
        assertThat(fired()).hasSize(1);
    }

    @Test
    @Tag("P1")
    void taskHasWhatTheRequestSays() {
        schedules.put(Schedule.of(
                        "sync",
                        TaskRequest.of("report", List.of(42))
                                .queue("night")
                                .maxAttempts(7)
                                .reapable(false)
                                .timeout(Duration.ofMinutes(3)))
                .cron("0 5 12 * * *")
                .zone("UTC"));
        fireAt(5);

        assertThat(harness.count("select count(*) from konduit_task where queue = 'night' and type = 'report'"
                        + " and payload = '[42]' and max_attempts = 7 and not reapable and timeout_ms = 180000"
                        + " and schedule = 'sync' and run_at = '2026-05-04T12:05:00Z'"))
                .isEqualTo(1);
    }

    @Test
    @Tag("P1")
    void putAndRemoveJoinTheTransactionOfTheCaller() {
        harness.transaction().executeWithoutResult(status -> {
            schedules.put(everyMinute());
            status.setRollbackOnly();
        });
        assertThat(schedules.find("sync")).isEmpty();

        schedules.put(everyMinute());
        harness.transaction().executeWithoutResult(status -> {
            assertThat(schedules.remove("sync")).isTrue();
            status.setRollbackOnly();
        });
        assertThat(schedules.find("sync")).isPresent();
        assertThat(schedules.remove("sync")).isTrue();
        assertThat(schedules.remove("sync")).isFalse();
    }

    @Test
    @Tag("P1")
    void listsPageByPage() {
        for (String name : List.of("c", "a", "b")) {
            schedules.put(Schedule.of(name, TaskRequest.of("report", null)).every(Duration.ofHours(1)));
        }
        assertThat(schedules.list(null, 2)).extracting("name").containsExactly("a", "b");
        assertThat(schedules.list("b", 2)).extracting("name").containsExactly("c");
        assertThatThrownBy(() -> schedules.list(null, 0)).isInstanceOf(InvalidRequestException.class);
    }

    @Test
    @Tag("P1")
    void putAgainKeepsTheNextTimeUnlessTheTimesChange() {
        schedules.put(everyMinute());
        advance(Duration.ofSeconds(90));
        schedules.put(everyMinute().overlap(Overlap.ALLOW));
        assertThat(schedules.find("sync").orElseThrow().nextAt()).isEqualTo(NOON.plusSeconds(60));

        schedules.put(everyMinute().every(Duration.ofMinutes(2)));
        assertThat(schedules.find("sync").orElseThrow().nextAt()).isEqualTo(NOON.plusSeconds(90 + 120));
    }

    /** The other leader acts between what this one has read and what it writes, as after a freeze. */
    @Test
    @Tag("P2")
    @Tag("E5")
    void ofTwoLeadersOneFires() {
        schedules.put(everyMinute());
        advance(Duration.ofMinutes(1));
        try (HikariDataSource pool = harness.testDatabase().newPool(4)) {
            StatementProbe probe = new StatementProbe(pool);
            QueueEngine frozen = new QueueFixture(QueueFixture.databaseOn(probe))
                    .engine(new Reports())
                    .build();
            probe.onceBefore("insert into konduit_schedule_firing", () -> engine.scheduleFirer()
                    .fireOnce());

            assertThat(frozen.scheduleFirer().fireOnce()).isZero();
        }
        assertThat(fired()).isEqualTo(minutes(1));
        assertThat(schedules.firings("sync", 10)).hasSize(1);
    }

    /** The version that the frozen leader has read must not fit a schedule that was made anew. */
    @Test
    @Tag("P2")
    void frozenLeaderDoesNotFireWhatWasReplacedMeanwhile() {
        schedules.put(everyMinute());
        advance(Duration.ofMinutes(1));
        ScheduleRepository store = engine.scheduleStore();
        List<DueSchedule> read = store.findDue(10);
        schedules.remove("sync");
        schedules.put(everyMinute().every(Duration.ofHours(1)));

        assertThat(store.fire(read.stream().map(new FiringPlanner(100)::plan).toList()))
                .isEmpty();
        assertThat(fired()).isEmpty();
        assertThat(schedules.find("sync").orElseThrow().nextAt()).isEqualTo(NOON.plusSeconds(60 + 3_600));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("P2")
    void crashAtEitherEndOfTheStatementLosesAndDoublesNothing(boolean executed) {
        schedules.put(everyMinute());
        advance(Duration.ofMinutes(1));
        try (HikariDataSource pool = harness.testDatabase().newPool(4)) {
            StatementProbe probe = new StatementProbe(pool);
            QueueEngine crashing = new QueueFixture(QueueFixture.databaseOn(probe))
                    .engine(new Reports())
                    .build();
            if (executed) {
                probe.loseReplyOf("insert into konduit_schedule_firing");
            } else {
                probe.onceBefore("insert into konduit_schedule_firing", () -> {
                    throw new java.sql.SQLException("The node dies.", "08006");
                });
            }
            assertThatThrownBy(() -> crashing.scheduleFirer().fireOnce()).isInstanceOf(DataAccessException.class);
        }
        assertThat(fired()).isEqualTo(executed ? minutes(1) : List.of());

        engine.scheduleFirer().fireOnce();

        assertThat(fired()).isEqualTo(minutes(1));
        assertThat(schedules.find("sync").orElseThrow().nextAt()).isEqualTo(NOON.plusSeconds(120));
    }

    @Test
    @Tag("P2")
    void clockThatGoesBackRepeatsNoTime() {
        schedules.put(everyMinute());
        for (int minute = 1; minute <= 3; minute++) {
            fireAt(minute);
            complete();
        }
        for (int minute = 0; minute <= 3; minute++) {
            fireAt(minute);
        }
        assertThat(fired()).isEqualTo(minutes(1, 2, 3));

        // made anew while the clock is back: its next time is one that has fired
        harness.clock().set(NOON);
        schedules.remove("sync");
        schedules.put(everyMinute());
        for (int minute = 1; minute <= 4; minute++) {
            fireAt(minute);
            complete();
        }
        assertThat(fired()).isEqualTo(minutes(1, 2, 3, 4));
    }

    /** Ahead by an hour, and back: what was fired early is not fired again, and nothing is left out afterwards. */
    @Test
    @Tag("P2")
    void clockThatJumpsAheadAndBackLosesNoTime() {
        schedules.put(everyMinute().catchUp(CatchUp.ALL).overlap(Overlap.ALLOW));
        fireAt(60);
        assertThat(fired()).hasSize(60);
        for (int minute = 1; minute <= 62; minute++) {
            fireAt(minute);
        }
        assertThat(fired()).hasSize(62).doesNotHaveDuplicates();
    }

    @Test
    @Tag("P2")
    void lockedScheduleDelaysOnlyItself() {
        schedules.put(everyMinute());
        schedules.put(Schedule.of("other", TaskRequest.of("report", null)).every(Duration.ofMinutes(1)));
        advance(Duration.ofMinutes(1));

        harness.transaction().executeWithoutResult(status -> {
            schedules.put(everyMinute());
            assertThat(engine.scheduleFirer().fireOnce()).isEqualTo(1);
        });

        assertThat(harness.count("select count(*) from konduit_task where schedule = 'other'"))
                .isEqualTo(1);
        assertThat(engine.scheduleFirer().fireOnce()).isEqualTo(1);
        assertThat(fired()).hasSize(2);
    }

    // ---- P4: catch-up ----

    @ParameterizedTest
    @CsvSource({"LATEST, SKIP, 1, 9", "ALL, ALLOW, 10, 0", "NONE, SKIP, 1, 9"})
    @Tag("P4")
    void catchesUpAsDeclared(CatchUp catchUp, Overlap overlap, int tasks, long dropped) {
        schedules.put(everyMinute().catchUp(catchUp).overlap(overlap));
        try (CapturedLog log = new CapturedLog(ScheduleFirer.class)) {
            fireAt(10);
            assertThat(log.at(Level.WARN)).hasSize(dropped > 0 ? 1 : 0);
        }
        assertThat(fired()).hasSize(tasks).endsWith(NOON.plusSeconds(600));
        assertThat(counted.dropped).isEqualTo(dropped);
        assertThat(schedules.firings("sync", 100).stream()
                        .mapToLong(ScheduleFiring::dropped)
                        .sum())
                .isEqualTo(dropped);
        assertThat(schedules.find("sync").orElseThrow().nextAt()).isEqualTo(NOON.plusSeconds(660));
    }

    @Test
    @Tag("P4")
    void noneWaitsForTheNextTimeWhenItIsTooLate() {
        schedules.put(Schedule.of("sync", TaskRequest.of("report", null))
                .every(Duration.ofHours(1))
                .catchUp(CatchUp.NONE));
        fireAt(125);

        assertThat(fired()).isEmpty();
        assertThat(counted.dropped).isEqualTo(2);
        assertThat(schedules.firings("sync", 10)).singleElement().satisfies(firing -> {
            assertThat(firing.outcome()).isEqualTo(Outcome.DROPPED);
            assertThat(firing.nominalAt()).isEqualTo(NOON.plusSeconds(7_200));
            assertThat(firing.dropped()).isEqualTo(1);
        });
        fireAt(180);
        assertThat(fired()).isEqualTo(minutes(180));
    }

    @Test
    @Tag("P4")
    void catchesUpNoMoreThanTheLimit() {
        schedules.put(everyMinute().catchUp(CatchUp.ALL).overlap(Overlap.ALLOW));
        fireAt(250);

        assertThat(fired()).hasSize(100).startsWith(NOON.plusSeconds(60 * 151)).endsWith(NOON.plusSeconds(60 * 250));
        assertThat(counted.dropped).isEqualTo(150);
    }

    /** Thirty million missed seconds are neither walked through nor made up. */
    @ParameterizedTest
    @ValueSource(strings = {"* * * * * *", "*/7 * * * * *"})
    @Tag("P4")
    void yearOfMissedSecondsIsNotWalkedThrough(String cron) {
        schedules.put(
                Schedule.of("sync", TaskRequest.of("report", null)).cron(cron).zone("UTC"));
        harness.clock().set(Instant.parse("2027-05-04T12:00:03.5Z"));
        engine.scheduleFirer().fireOnce();

        assertThat(fired())
                .containsExactly(
                        Instant.parse(cron.startsWith("*/") ? "2027-05-04T12:00:00Z" : "2027-05-04T12:00:03Z"));
        assertThat(counted.dropped).isEqualTo(DueTimes.MOST_COUNTED);
    }

    // ---- P5: overlap ----

    @Test
    @Tag("P5")
    void skipsWhileThePreviousTaskWaitsRunsOrIsHeld() {
        schedules.put(everyMinute());
        fireAt(1);
        fireAt(2); // waits
        ClaimedTask running = claim();
        fireAt(3); // runs
        harness.jdbc()
                .sql("update konduit_task set reapable = false, lock_timeout_at = lock_timeout_at - interval '1 day'")
                .update();
        harness.reclaimer().reclaimOnce();
        harness.assertThatTask(running.id()).isHeld();
        fireAt(4); // is held

        assertThat(fired()).isEqualTo(minutes(1));
        assertThat(counted.skipped).isEqualTo(3);
        assertThat(schedules.firings("sync", 3)).allSatisfy(firing -> {
            assertThat(firing.outcome()).isEqualTo(Outcome.SKIPPED);
            assertThat(firing.task()).isEqualTo(TaskId.of(running.id()));
        });

        harness.administration().fail(TaskId.of(running.id()), "ada", null);
        fireAt(5);
        assertThat(fired()).isEqualTo(minutes(1, 5));
    }

    @Test
    @Tag("P5")
    void firesAgainWhenThePreviousTaskIsDone() {
        schedules.put(everyMinute());
        fireAt(1);
        complete();
        fireAt(2);
        assertThat(fired()).isEqualTo(minutes(1, 2));
    }

    @Test
    @Tag("P5")
    void overlapIsAllowedOnRequest() {
        schedules.put(everyMinute().overlap(Overlap.ALLOW));
        fireAt(1);
        fireAt(2);
        assertThat(fired()).isEqualTo(minutes(1, 2));
    }

    // ---- P6: declarations ----

    @Test
    @Tag("P6")
    @Tag("P1")
    void declarationOfTheLastStartWinsAndKeepsWhatWasMissed() {
        engine(new Nightly()).declaredSchedules().declare();
        assertThat(schedules.find("nightly")).get().satisfies(found -> {
            assertThat(found.cron()).isEqualTo("0 30 2 * * *");
            assertThat(found.zone()).isEqualTo("Europe/Berlin");
            assertThat(found.declared()).isTrue();
            assertThat(found.nextAt()).isEqualTo("2026-05-05T00:30:00Z");
        });
        advance(Duration.ofDays(2));
        engine(new Nightly()).declaredSchedules().declare();
        assertThat(schedules.find("nightly").orElseThrow().nextAt()).isEqualTo("2026-05-05T00:30:00Z");

        engine(new Earlier()).declaredSchedules().declare();
        assertThat(schedules.find("nightly")).get().satisfies(found -> {
            assertThat(found.cron()).isEqualTo("0 0 1 * * *");
            assertThat(found.overlap()).isEqualTo(Overlap.ALLOW);
            assertThat(found.nextAt()).isEqualTo("2026-05-07T01:00:00Z");
        });
    }

    @Test
    @Tag("P6")
    void undeclaredScheduleIsPausedAfterTenMinutesAndComesBack() {
        QueueEngine declaring = engine(new Nightly());
        declaring.declaredSchedules().declare();
        schedules.put(everyMinute().every(Duration.ofDays(9)));
        UUID worker = beat("nightly");
        assertThat(sweep()).isEmpty();
        assertThat(harness.count("select count(*) from konduit_schedule where undeclared_since is not null"))
                .isZero();

        new WorkerRepository(harness.database()).remove(worker);
        assertThat(sweep()).isEmpty();
        advance(Duration.ofMinutes(9));
        assertThat(sweep()).isEmpty();
        advance(Duration.ofMinutes(1));
        assertThat(sweep()).containsExactly("nightly");
        assertThat(schedules.find("nightly").orElseThrow().paused()).satisfies(pause -> {
            assertThat(pause.reason()).isEqualTo(PauseReason.UNDECLARED);
            assertThat(pause.by()).isEqualTo("test");
        });
        advance(Duration.ofDays(1));
        engine.scheduleFirer().fireOnce();
        assertThat(fired()).isEmpty();

        declaring.declaredSchedules().declare();
        assertThat(schedules.find("nightly").orElseThrow().paused()).isNull();
        declaring.scheduleFirer().fireOnce();
        assertThat(fired()).containsExactly(Instant.parse("2026-05-05T00:30:00Z"));
    }

    @Test
    @Tag("P6")
    void workerThatComesBackInTimeKeepsItsSchedules() {
        engine(new Nightly()).declaredSchedules().declare();
        assertThat(sweep()).isEmpty();
        advance(Duration.ofMinutes(9));
        beat("nightly");
        assertThat(sweep()).isEmpty();
        advance(Duration.ofMinutes(9));
        assertThat(sweep()).isEmpty();
        assertThat(schedules.find("nightly").orElseThrow().paused()).isNull();
    }

    private UUID beat(String... names) {
        UUID id = UUID.randomUUID();
        new WorkerRepository(harness.database())
                .beat(new WorkerRepository.Registration(
                        id, "test", "localhost", 1, "1", null, List.of("default"), 4, List.of(names)));
        return id;
    }

    private List<String> sweep() {
        return engine.scheduleStore().pauseUndeclared(Duration.ofSeconds(60), Duration.ofMinutes(10), "test");
    }

    @Test
    @Tag("P6")
    void declaredNameCannotBePut() {
        engine(new Nightly()).declaredSchedules().declare();
        assertThatThrownBy(() -> schedules.put(
                        Schedule.of("nightly", TaskRequest.of("report", null)).every(Duration.ofHours(1))))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessageContaining("is declared by @Recurring");
    }

    /** As after an update of the time zone data of one instance. */
    @Test
    @Tag("P6")
    void scheduleThatCannotBeComputedIsPausedAndKeepsNobodyWaiting() {
        schedules.put(everyMinute());
        schedules.put(Schedule.of("odd", TaskRequest.of("report", null))
                .cron("0 * * * * *")
                .zone("UTC"));
        harness.jdbc()
                .sql("update konduit_schedule set zone = 'Mars/Base' where name = 'odd'")
                .update();
        fireAt(1);

        assertThat(fired()).isEqualTo(minutes(1));
        assertThat(schedules.find("odd").orElseThrow().paused()).satisfies(pause -> {
            assertThat(pause.reason()).isEqualTo(PauseReason.INVALID);
            assertThat(pause.note()).contains("Mars/Base");
        });
        schedules.put(Schedule.of("odd", TaskRequest.of("report", null))
                .cron("0 * * * * *")
                .zone("UTC"));
        assertThat(schedules.find("odd").orElseThrow().paused()).isNull();
    }

    // ---- P7: operators ----

    @Test
    @Tag("P7")
    void pauseSurvivesDeploymentsAndIsAudited() {
        QueueEngine declaring = engine(new Hourly());
        declaring.declaredSchedules().declare();
        schedules.pause("hourly", "ada", "maintenance");
        declaring.declaredSchedules().declare();
        fireAt(90);

        assertThat(fired()).isEmpty();
        assertThat(schedules.find("hourly").orElseThrow().paused()).satisfies(pause -> {
            assertThat(pause.reason()).isEqualTo(PauseReason.OPERATOR);
            assertThat(pause.by()).isEqualTo("ada");
            assertThat(pause.note()).isEqualTo("maintenance");
        });
        assertThatThrownBy(() -> schedules.pause("hourly", "bob", null)).isInstanceOf(ScheduleStateException.class);

        schedules.resume("hourly", "bob", null);
        assertThat(engine.scheduleFirer().fireOnce()).isZero();
        fireAt(120);
        assertThat(fired()).isEqualTo(minutes(120));
        assertThatThrownBy(() -> schedules.resume("hourly", "bob", null)).isInstanceOf(ScheduleStateException.class);
        assertThat(harness.inspection().audit(Long.MAX_VALUE, 10))
                .extracting(entry -> entry.action() + " " + entry.target() + " " + entry.actor() + " " + entry.note())
                .startsWith("RESUME_SCHEDULE hourly bob null", "PAUSE_SCHEDULE hourly ada maintenance");
    }

    @Test
    @Tag("P7")
    void runNowMakesATaskAndLeavesTheNextTime() {
        schedules.put(everyMinute().every(Duration.ofHours(1)));
        schedules.pause("sync", "ada", null);
        TaskId made = schedules.runNow("sync", "bob", "the report was lost");

        assertThat(harness.wakeUps()).isNotNull();
        assertThat(schedules.find("sync").orElseThrow().nextAt()).isEqualTo(NOON.plusSeconds(3_600));
        assertThat(schedules.firings("sync", 10)).singleElement().satisfies(firing -> {
            assertThat(firing.outcome()).isEqualTo(Outcome.BY_HAND);
            assertThat(firing.task()).isEqualTo(made);
            assertThat(firing.actor()).isEqualTo("bob");
        });
        assertThat(harness.inspection().audit(Long.MAX_VALUE, 1))
                .extracting(entry -> entry.action() + " " + entry.target() + " " + entry.actor() + " " + entry.note())
                .containsExactly("RUN_SCHEDULE sync bob the report was lost");
        advance(Duration.ofSeconds(1));
        assertThatThrownBy(() -> schedules.runNow("sync", "bob", null))
                .isInstanceOf(ScheduleStateException.class)
                .hasMessageContaining("previous task " + made);
    }

    @Test
    @Tag("P5")
    @Tag("P7")
    void runByHandCountsAsThePreviousTask() {
        schedules.put(everyMinute());
        schedules.runNow("sync", "bob", null);
        fireAt(1);
        assertThat(fired()).isEqualTo(minutes(0));
        assertThat(counted.skipped).isEqualTo(1);
    }

    @Test
    @Tag("P7")
    void whoResumesWhatNobodyDeclaresAdoptsIt() {
        engine(new Nightly()).declaredSchedules().declare();
        sweep();
        advance(Duration.ofMinutes(10));
        assertThat(sweep()).containsExactly("nightly");
        schedules.resume("nightly", "ada", null);
        advance(Duration.ofMinutes(20));
        assertThat(sweep()).isEmpty();
        assertThat(schedules.find("nightly").orElseThrow().declared()).isFalse();
    }

    @Test
    @Tag("P7")
    void unknownNamesAndBadTextsAreRefused() {
        assertThatThrownBy(() -> schedules.pause("nope", "ada", null)).isInstanceOf(ScheduleNotFoundException.class);
        assertThatThrownBy(() -> schedules.resume("nope", "ada", null)).isInstanceOf(ScheduleNotFoundException.class);
        assertThatThrownBy(() -> schedules.runNow("nope", "ada", null)).isInstanceOf(ScheduleNotFoundException.class);
        assertThatThrownBy(() -> schedules.pause("nope", " ", null)).isInstanceOf(InvalidRequestException.class);
    }

    // ---- P10: what cannot be ----

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 30 2 * *|UTC|cannot be read",
                "0 61 * * * *|UTC|cannot be read",
                "0 0 0 30 2 *|UTC|never fires",
                "0 0 2 * * *|Europe/Berlim|The time zone 'Europe/Berlim'",
            })
    @Tag("P10")
    void badExpressionsAndZonesAreRefused(String cron, String zone, String message) {
        assertThatThrownBy(() -> schedules.put(Schedule.of("sync", TaskRequest.of("report", null))
                        .cron(cron)
                        .zone(zone)))
                .isInstanceOf(InvalidScheduleException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("'sync'");
    }

    @Test
    @Tag("P10")
    void otherImpossibleSchedulesAreRefused() {
        Schedule good = everyMinute();
        for (Schedule bad : List.of(
                good.every(Duration.ofMillis(999)),
                Schedule.of("sync", TaskRequest.of("report", null)),
                Schedule.of(" ", TaskRequest.of("report", null)).every(Duration.ofHours(1)),
                Schedule.of("sync", TaskRequest.of("unknown", null)).every(Duration.ofHours(1)),
                Schedule.of("sync", TaskRequest.of("report", null).uniqueKey("k"))
                        .every(Duration.ofHours(1)),
                Schedule.of("sync", TaskRequest.of("report", null).delay(Duration.ofHours(1)))
                        .every(Duration.ofHours(1)),
                good.catchUp(CatchUp.ALL))) {
            assertThatThrownBy(() -> schedules.put(bad))
                    .as(bad.toString())
                    .isInstanceOf(InvalidScheduleException.class);
        }
        assertThat(schedules.list(null, 10)).isEmpty();
    }

    @Test
    @Tag("P10")
    void leapDayFires() {
        schedules.put(Schedule.of("leap", TaskRequest.of("report", null))
                .cron("0 0 0 29 2 *")
                .zone("UTC"));
        assertThat(schedules.find("leap").orElseThrow().nextAt()).isEqualTo("2028-02-29T00:00:00Z");
    }

    // ---- P8 ----

    @Test
    @Tag("P8")
    void handlerSeesTheNominalTimeAtEveryAttempt() {
        List<Instant> seen = new ArrayList<>();
        Object handler = new Object() {
            @JobHandler("report")
            void report(TaskContext task) {
                seen.add(task.scheduledFor().orElseThrow());
                if (seen.size() == 1) {
                    throw new IllegalStateException("once more");
                }
            }
        };
        QueueEngine running = engine(handler);
        running.schedules().put(everyMinute());
        harness.clock().set(NOON.plusSeconds(61));
        running.scheduleFirer().fireOnce();
        runClaimed(running, handler);
        advance(Duration.ofMinutes(1));
        runClaimed(running, handler);

        assertThat(seen).containsExactly(NOON.plusSeconds(60), NOON.plusSeconds(60));
        assertThat(harness.count("select count(*) from konduit_task_history where schedule = 'sync'"
                        + " and scheduled_for = '2026-05-04T12:01:00Z'"))
                .isEqualTo(1);
    }

    private static void runClaimed(QueueEngine running, Object handler) {
        ClaimedTask task = harness.claimOne(running.leases());
        running.callingThreadRunner()
                .run(task, QueueFixture.registry(handler).find(task.type()).orElseThrow());
    }

    @Test
    @Tag("P9")
    void latenessIsFromTheNominalTime() {
        schedules.put(everyMinute());
        harness.clock().set(NOON.plusSeconds(60).plusMillis(40));
        engine.scheduleFirer().fireOnce();
        assertThat(counted.lateness).containsExactly(Duration.ofMillis(40));
    }
}
