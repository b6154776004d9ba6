package io.konduit.queue.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.Recurring;
import io.konduit.queue.Schedule;
import io.konduit.queue.Schedules;
import io.konduit.queue.StatementProbe;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TestSettings;
import io.konduit.queue.With;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.leader.LeadershipState;
import io.konduit.queue.retention.RowPruner;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.RetentionRepository;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** When an instance looks for schedules that are due, step by step. */
@Timeout(120)
class ScheduleClockTests {
    private static final Instant NOON = Instant.parse("2026-05-04T12:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    static final QueueHarness harness = QueueHarness.stoppedAt(NOON);

    private final AtomicLong nanos = new AtomicLong();
    private LeadershipState leadership = LeadershipState.LEADER;
    private QueueEngine engine;
    private Schedules schedules;
    private ScheduleClock clock;

    static final class Reports {
        @JobHandler("report")
        void report() {}
    }

    static final class Nightly {
        @JobHandler("nightly")
        @Recurring(every = "1h")
        void run() {}
    }

    @BeforeEach
    void create() {
        engine = harness.engine(new Reports())
                .controlReceivers(() -> Stream.of(message -> clock.receive(message)))
                .build();
        schedules = engine.schedules();
        clock = clockOf(engine, false);
    }

    private ScheduleClock clockOf(QueueEngine of, boolean declares) {
        ScheduleUpkeep upkeep = new ScheduleUpkeep(
                of.scheduleStore(),
                new ScheduleUpkeep.Terms(MINUTE, Duration.ofMinutes(10), MINUTE, "test"),
                new RowPruner(
                        new RetentionRepository(of.database()),
                        RetentionRepository.Kind.FIRINGS,
                        Duration.ofDays(30),
                        100),
                nanos::get);
        return new ScheduleClock(
                new ScheduleClock.Parts(
                        of.scheduleStore(),
                        of.declaredSchedules(),
                        of::scheduleFirer,
                        () -> upkeep,
                        () -> leadership,
                        declares,
                        true),
                nanos::get);
    }

    private void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
        harness.clock().advance(time);
    }

    private static Schedule everyMinute() {
        return Schedule.of("sync", TaskRequest.of("report", null)).every(MINUTE);
    }

    private static long fired() {
        return harness.count("select count(*) from konduit_schedule_firing where outcome = 'FIRED'");
    }

    /** A heartbeat tells that there is none, and nothing else is asked. */
    @Test
    @Tag("P9")
    void withoutSchedulesNothingIsAsked() {
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            QueueEngine idle =
                    new QueueFixture(counted.database()).engine(new Reports()).build();
            ScheduleClock resting = clockOf(idle, true);
            idle.registry().schedules().listener(resting);
            assertThat(resting.step()).isNull();

            List<String> statements = counted.statementsOf(() -> {
                idle.registry().beat(List.of("default"), 4);
                assertThat(resting.step()).isNull();
                leadership = LeadershipState.NOT_LEADER;
                assertThat(resting.step()).isNull();
            });

            assertThat(statements).hasSize(1);
        }
    }

    /** The whole instance, with its own leadership, over several heartbeats. */
    @Test
    @Tag("P9")
    void idleInstanceSendsNoStatementOfSchedules() {
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            QueueEngine idle = QueueEngine.builder(
                            counted.database(),
                            TestSettings.quick()
                                    .worker(With.all(
                                            With.concurrency(1),
                                            With.heartbeatInterval(Duration.ofMillis(100)),
                                            With.pollInterval(Duration.ofMillis(50)),
                                            With.notListening())),
                            QueueFixture.registry(new Reports()))
                    .build();
            idle.start();
            try {
                await().until(() -> beats(counted) >= 5
                        && counted.journal().statements().stream().anyMatch(sql -> sql.contains("konduit_shedlock")));
            } finally {
                idle.stop();
            }
            assertThat(counted.journal().statements().stream()
                            .filter(sql -> sql.contains("konduit_schedule"))
                            .filter(sql -> !sql.contains("insert into konduit_worker")))
                    .isEmpty();
        }
    }

    private static long beats(CountedQueue counted) {
        return counted.journal().statements().stream()
                .filter(sql -> sql.contains("insert into konduit_worker"))
                .count();
    }

    @Test
    @Tag("P9")
    void leaderSleepsUntilTheNextOneIsDue() {
        schedules.put(everyMinute());
        assertThat(clock.step()).isBetween(Duration.ofSeconds(59), MINUTE);
        advance(Duration.ofSeconds(59));
        assertThat(clock.step()).isLessThanOrEqualTo(Duration.ofSeconds(1));
        assertThat(fired()).isZero();
        advance(Duration.ofSeconds(1));
        assertThat(clock.step()).isBetween(Duration.ofSeconds(59), MINUTE);
        assertThat(fired()).isEqualTo(1);
    }

    @Test
    @Tag("P9")
    void followerFiresWhatIsFiveSecondsLate() {
        leadership = LeadershipState.NOT_LEADER;
        schedules.put(everyMinute());
        clock.step();
        advance(ScheduleClock.PATIENCE);
        assertThat(clock.step()).isEqualTo(MINUTE); // 55 s until it is due, and 5 s of patience

        advance(Duration.ofSeconds(59));
        assertThat(clock.step()).isEqualTo(Duration.ofSeconds(1));
        assertThat(fired()).isZero();
        advance(Duration.ofSeconds(1));
        try (CapturedLog log = new CapturedLog(ScheduleClock.class)) {
            clock.step();
            assertThat(log.all()).singleElement().asString().contains("the leader does not fire it");
        }
        assertThat(fired()).isEqualTo(1);
    }

    @Test
    @Tag("P9")
    void followerLeavesToTheLeaderWhatTheLeaderFires() {
        schedules.put(everyMinute());
        clock.step();
        leadership = LeadershipState.NOT_LEADER;
        advance(Duration.ofSeconds(62));
        engine.scheduleFirer().fireOnce(); // the leader, elsewhere
        advance(Duration.ofSeconds(3));
        assertThat(clock.step()).isEqualTo(MINUTE); // of the 65 s, 5 s have passed since the next was read
        assertThat(fired()).isEqualTo(1);
    }

    @Test
    @Tag("P9")
    void whereTheLeaderIsUnknownEveryInstanceFires() {
        leadership = LeadershipState.STORE_UNAVAILABLE;
        schedules.put(everyMinute());
        clock.step();
        advance(MINUTE);
        clock.step();
        assertThat(fired()).isEqualTo(1);
    }

    @Test
    @Tag("P9")
    void heartbeatBringsTheAlarmForwardAndNeverBack() {
        schedules.put(everyMinute());
        clock.step();
        clock.nextIn(null);
        clock.nextIn(Duration.ofHours(1));
        advance(MINUTE);
        clock.step();
        assertThat(fired()).isEqualTo(1);
        harness.jdbc()
                .sql("update konduit_schedule set next_at = next_at - interval '50 s'")
                .update();
        clock.nextIn(Duration.ofSeconds(10));
        assertThat(clock.step()).isEqualTo(Duration.ofSeconds(10));
    }

    /** Otherwise the clock would sleep for as long as it has read before the change. */
    @Test
    @Tag("P9")
    void messageThatArrivesWhileTheNextTimeIsReadIsNotLost() {
        try (HikariDataSource pool = harness.testDatabase().newPool(4)) {
            StatementProbe probe = new StatementProbe(pool);
            QueueEngine slow = new QueueFixture(QueueFixture.databaseOn(probe))
                    .engine(new Reports())
                    .build();
            ScheduleClock reading = clockOf(slow, false);
            reading.changed();
            probe.onceAfter("select (extract(epoch from s.next_at", () -> {
                schedules.put(everyMinute());
                reading.changed();
                return null;
            });

            assertThat(reading.step()).isEqualTo(ScheduleClock.SHORTEST_SLEEP);
            advance(ScheduleClock.SHORTEST_SLEEP);
            assertThat(reading.step()).isBetween(Duration.ofSeconds(59), MINUTE);
        }
    }

    @Test
    @Tag("P2")
    void databaseThatIsAwayIsAskedAgain() {
        try (HikariDataSource pool = harness.testDatabase().newPool(4)) {
            StatementProbe probe = new StatementProbe(pool);
            QueueEngine cut = new QueueFixture(QueueFixture.databaseOn(probe))
                    .engine(new Reports())
                    .build();
            ScheduleClock retrying = clockOf(cut, false);
            schedules.put(everyMinute());
            advance(MINUTE);
            retrying.changed();
            probe.onceBefore("-- P2: schedules that are due", () -> {
                throw new java.sql.SQLException("The network is down.", "08006");
            });
            assertThat(retrying.step()).isEqualTo(Duration.ofSeconds(1));
            advance(Duration.ofSeconds(1));
            retrying.step();
            assertThat(fired()).isEqualTo(1);
        }
    }

    /** A transaction of the application holds the row: no busy loop. */
    @Test
    @Tag("P9")
    void lockedScheduleIsLookedForLessAndLessOften() {
        schedules.put(everyMinute());
        advance(MINUTE.plusMillis(300));
        harness.transaction().executeWithoutResult(status -> {
            schedules.put(everyMinute());
            clock.changed();
            assertThat(clock.step()).isEqualTo(Duration.ofMillis(300));
            advance(Duration.ofSeconds(30));
            assertThat(clock.step()).isEqualTo(Duration.ofSeconds(1));
        });
        advance(Duration.ofSeconds(1));
        clock.step();
        assertThat(fired()).isEqualTo(1);
    }

    @Test
    @Tag("P6")
    void declaresAtTheStartAndPausesWhatNobodyDeclares() {
        QueueEngine declaring = harness.engine(new Nightly()).build();
        ScheduleClock starting = clockOf(declaring, true);
        starting.step();
        assertThat(schedules.find("nightly")).get().satisfies(found -> assertThat(found.declared())
                .isTrue());
        for (int minute = 0; minute < 10; minute++) {
            assertThat(schedules.find("nightly").orElseThrow().paused()).isNull();
            advance(MINUTE.plusSeconds(1));
            starting.step();
        }
        assertThat(schedules.find("nightly").orElseThrow().paused()).isNotNull();
    }

    @Test
    @Tag("P6")
    void heartbeatSaysWhatTheHandlersDeclare() {
        QueueEngine declaring = harness.engine(new Nightly()).build();
        declaring.scheduleClock();
        declaring.registry().beat(List.of("default"), 4);
        assertThat(harness.count("select count(*) from konduit_worker where schedules = '{nightly}'"))
                .isEqualTo(1);
    }

    @Test
    @Tag("P1")
    void changeIsToldAfterTheCommitOnly() {
        List<ControlMessage> heard = new ArrayList<>();
        Schedules telling = harness.engine(new Reports())
                .controlReceivers(() -> Stream.of(heard::add))
                .build()
                .schedules();
        harness.transaction().executeWithoutResult(status -> {
            telling.put(everyMinute());
            assertThat(heard).isEmpty();
            status.setRollbackOnly();
        });
        assertThat(heard).isEmpty();
        harness.transaction().executeWithoutResult(status -> telling.put(everyMinute()));
        assertThat(heard).containsExactly(ControlMessage.schedulesChanged());
    }
}
