package io.konduit.queue.autoconfigure.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.TaskId;
import io.konduit.queue.event.DatabaseWentBack;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.LeadershipState;
import io.konduit.queue.review.StatisticsRepository;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.test.TestDatabase;
import io.konduit.queue.worker.HangingRun;
import io.konduit.queue.worker.LoopState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Rows are back-dated and this node's clock is turned by hand: no test waits. */
@Tag("O5")
class KonduitQueueHealthIndicatorTests {
    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final KonduitQueueHealthIndicator.Settings SETTINGS = new KonduitQueueHealthIndicator.Settings(
            INTERVAL, Duration.ofSeconds(2), Duration.ofSeconds(10), 3, true, true);

    private static TestDatabase testDatabase;
    private static ControlPool pool;
    private static StatisticsRepository statistics;

    private final AtomicLong nanoTime = new AtomicLong(-5);
    private List<LoopState> loops = List.of();
    private @Nullable DatabaseWentBack loss;

    @BeforeAll
    static void createDatabase() {
        testDatabase = TestDatabase.create();
        new QueueSchemaMigrator(testDatabase.dataSource(), null).migrate();
        pool = new ControlPool(testDatabase.dataSource(), 2, Duration.ofSeconds(10));
        statistics = StatisticsRepository.onControlPath(new QueueDatabase(testDatabase.dataSource(), pool, null));
    }

    @AfterAll
    static void dropDatabase() {
        pool.close();
        testDatabase.close();
    }

    @BeforeEach
    void clear() {
        testDatabase.execute("truncate konduit_task, konduit_chore, konduit_schedule");
    }

    @Test
    void isUpWithEveryDetailWhenAllIsWell() {
        passed("20 s");
        Health health = afterRunningFor(Duration.ofHours(1), SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails())
                .containsEntry("reaper", "on")
                .containsEntry("leadership", "LEADER")
                .containsEntry("reaperBoundSeconds", 95L)
                .containsEntry("oldestExpiredLeaseSeconds", 0.0)
                .containsEntry("oldestExpiredLeaseBoundSeconds", 79L)
                .containsEntry("zombiesAboveLimit", 0L)
                .containsKeys("secondsSinceLastPass", "controlPathMillis")
                .doesNotContainKey("reason");
    }

    @Test
    void isDownWhenTheReaperHasNotSucceededForThreeIntervals() {
        passed("94 s");
        assertThat(afterRunningFor(Duration.ofHours(1), SETTINGS).getStatus()).isEqualTo(Status.UP);
        passed("96 s");
        Health health = afterRunningFor(Duration.ofHours(1), SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(reason(health))
                .matches(
                        "The reaper last succeeded 96\\.\\d s ago on any instance; expected at most 95s\\."
                                + " The tasks of crashed workers do not come back\\. Look for 'reaper' in the log of the leader\\.");
    }

    @Test
    void isDownWhenTheReaperNeverSucceeds() {
        assertThat(afterRunningFor(Duration.ofSeconds(95), SETTINGS).getStatus())
                .isEqualTo(Status.UP);
        Health health = afterRunningFor(Duration.ofSeconds(96), SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(reason(health)).startsWith("The reaper has never succeeded on any instance");
    }

    @Test
    void isUpAfterAFreshStartWhateverLayThereBefore() {
        passed("9 days");
        orphan("9 days");
        Health health = afterRunningFor(Duration.ofSeconds(1), SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat((double) health.getDetails().get("oldestExpiredLeaseSeconds"))
                .isGreaterThan(9 * 86_400 - 3_700);
    }

    @Test
    @Tag("L7")
    void isDownWhenAnExpiredLeaseIsNotTakenBackWithinItsBound() {
        passed("1 s");
        orphan("78 s");
        assertThat(afterRunningFor(Duration.ofHours(1), SETTINGS).getStatus()).isEqualTo(Status.UP);
        orphan("80 s");
        Health health = afterRunningFor(Duration.ofHours(1), SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(reason(health))
                .matches(
                        "The oldest expired lease ended 80\\.\\d s ago and was not reclaimed;"
                                + " expected at most 79s\\. A transaction may hold the row: look for it in pg_stat_activity\\.");
    }

    @Test
    @Tag("L5")
    void aReaperThatIsSwitchedOffIsSeenAndNotDown() {
        orphan("1 h");
        Health health = afterRunningFor(
                Duration.ofHours(1),
                new KonduitQueueHealthIndicator.Settings(
                        Duration.ZERO, Duration.ZERO, Duration.ofSeconds(10), 3, true, true));
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails())
                .containsEntry("reaper", "off")
                .containsEntry(
                        "reaperNote",
                        "'konduit.queue.reaper-interval' is 0: the tasks of crashed workers do not come back on their own.");
        assertThat((double) health.getDetails().get("oldestExpiredLeaseSeconds"))
                .isGreaterThan(3_599);
    }

    @Test
    void anInstanceThatOnlyEnqueuesDoesNotAnswerForTheReaper() {
        orphan("1 h");
        Health health = afterRunningFor(
                Duration.ofHours(1),
                new KonduitQueueHealthIndicator.Settings(
                        INTERVAL, Duration.ZERO, Duration.ofSeconds(10), 3, false, false));
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("reaper", "not on this instance");
    }

    @Test
    @Tag("S12")
    void aWorkerWithoutChoresIsDownWhenNoOtherInstanceReaps() {
        orphan("1 h");
        Health health = afterRunningFor(
                Duration.ofHours(1),
                new KonduitQueueHealthIndicator.Settings(
                        INTERVAL, Duration.ZERO, Duration.ofSeconds(10), 3, false, true));
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("reaper", "not on this instance");
        assertThat(reason(health)).contains("The reaper has never succeeded on any instance");
    }

    @Test
    @Tag("L15")
    void zombiesAreCountedAboveTheLimit() {
        passed("1 s");
        testDatabase.execute(
                "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at, zombie_count)"
                        + " select 'q', 't', '{}', 2, 'PENDING', clock_timestamp(), clock_timestamp(), n from generate_series(0, 5) n");
        Health health = afterRunningFor(Duration.ofHours(1), SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("zombiesAboveLimit", 2L);
    }

    @Test
    void isDownWhenTheDatabaseDoesNotAnswer() {
        ControlPool closed = new ControlPool(testDatabase.dataSource(), 2, Duration.ofSeconds(10));
        StatisticsRepository dead =
                StatisticsRepository.onControlPath(new QueueDatabase(testDatabase.dataSource(), closed, null));
        closed.close();
        Health health = new KonduitQueueHealthIndicator(
                        dead, SETTINGS, () -> LeadershipState.STORE_UNAVAILABLE, () -> loops, () -> null, nanoTime::get)
                .health();
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(reason(health))
                .isEqualTo(
                        "The database did not answer on the control path within 0 ms"
                                + " (CannotGetJdbcConnectionException). Tasks are not claimed and leases are not extended until it does.");
        assertThat(health.getDetails()).containsEntry("leadership", "STORE_UNAVAILABLE");
    }

    @Test
    void isUpWhileEveryLoopOfTheWorkerGoesAround() {
        passed("1 s");
        loops = List.of(
                new LoopState("konduit-poll-default", true, Duration.ofSeconds(59), false),
                new LoopState("konduit-default-1", true, null, false));
        Health health = afterRunningFor(Duration.ofHours(1), SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails()).containsEntry("workerLoops", "2 of 2");
    }

    @Test
    void isDownWhenALoopOfTheWorkerHasEndedOrIsStuck() {
        passed("1 s");
        loops = List.of(
                new LoopState("konduit-poll-default", false, Duration.ofSeconds(3), false),
                new LoopState("konduit-completer", true, Duration.ofSeconds(61), true),
                new LoopState("konduit-default-1", true, null, false));
        Health health = afterRunningFor(Duration.ofHours(1), SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(health.getDetails()).containsEntry("workerLoops", "1 of 3");
        assertThat(reason(health))
                .isEqualTo("The worker's thread 'konduit-poll-default' has ended. Restart this instance."
                        + " The worker's thread 'konduit-completer' has not gone around for 61 s."
                        + " Look at its stack in a thread dump. Restart this instance.");
    }

    @Test
    @Tag("X27")
    void lostCommitsAreADetailAndNoReasonToBeDown() {
        passed("1 s");
        assertThat(afterRunningFor(Duration.ofMinutes(1), SETTINGS).getDetails())
                .doesNotContainKey("lostCommits");
        loss = new DatabaseWentBack(
                Instant.parse("2026-01-01T00:00:00Z"),
                1,
                2,
                Duration.ofMillis(2_340),
                1_322,
                List.of(TaskId.of(7)),
                List.of("mail"));
        Health health = afterRunningFor(Duration.ZERO, SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails().get("lostCommits"))
                .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
                .containsEntry("timeline", "1 to 2")
                .containsEntry("atLeastSeconds", 2.3)
                .containsEntry("lostTasks", 1_322)
                .containsEntry("pausedQueues", List.of("mail"))
                .hasEntrySatisfying("note", note -> assertThat((String) note).contains("Enqueue what is missing"));
    }

    @Test
    void runsThatDoNotEndShowInTheDetails() {
        passed("1 s");
        Health health = new KonduitQueueHealthIndicator(
                        statistics, SETTINGS, () -> LeadershipState.LEADER, () -> loops, () -> null, nanoTime::get)
                .hanging(() -> List.of(new HangingRun(
                        "task 17 (import, attempt 1)", "it is over its time limit", Duration.ofMinutes(2))))
                .health();
        assertThat(health.getStatus()).isEqualTo(Status.UP);
        assertThat(health.getDetails())
                .containsEntry(
                        "hangingRuns",
                        List.of("task 17 (import, attempt 1): it is over its time limit, asked to end 120 s ago"));
    }

    @Test
    @Tag("P9")
    void isDownWhenAScheduleIsNotFired() {
        passed("1 s");
        dueSchedule("59 s");
        assertThat(afterRunningFor(Duration.ofHours(1), SETTINGS).getStatus()).isEqualTo(Status.UP);
        dueSchedule("61 s");
        assertThat(afterRunningFor(Duration.ofSeconds(10), SETTINGS).getStatus())
                .isEqualTo(Status.UP);
        Health health = afterRunningFor(Duration.ofHours(1), SETTINGS);
        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
        assertThat(reason(health)).matches("A schedule is 6\\d\\.\\d s late; expected at most 60 s\\. .*");
        assertThat((double) health.getDetails().get("schedulesLateSeconds")).isGreaterThan(60);

        testDatabase.execute(
                "update konduit_schedule set pause_reason = 'OPERATOR', paused_at = clock_timestamp(), paused_by = 'ada'");
        assertThat(afterRunningFor(Duration.ofHours(1), SETTINGS).getDetails())
                .doesNotContainKey("schedulesLateSeconds");
    }

    private static void dueSchedule(String ago) {
        testDatabase.execute(
                "truncate konduit_schedule",
                "insert into konduit_schedule (name, every_ms, catch_up, overlap, next_at, declared, type, queue, payload,"
                        + " priority, created_at) values ('sync', 60000, 'LATEST', 'SKIP', clock_timestamp() - interval '"
                        + ago + "', false, 'sync', 'default', '{}', 2, clock_timestamp())");
    }

    private Health afterRunningFor(Duration uptime, KonduitQueueHealthIndicator.Settings settings) {
        KonduitQueueHealthIndicator indicator = new KonduitQueueHealthIndicator(
                statistics, settings, () -> LeadershipState.LEADER, () -> loops, () -> loss, nanoTime::get);
        nanoTime.addAndGet(uptime.toNanos());
        return indicator.health();
    }

    private static void passed(String ago) {
        testDatabase.execute(
                "insert into konduit_chore (name, last_pass_at, worker) values ('reaper', clock_timestamp() - interval '"
                        + ago
                        + "', gen_random_uuid()) on conflict (name) do update set last_pass_at = excluded.last_pass_at");
    }

    private static void orphan(String ago) {
        testDatabase.execute(
                "truncate konduit_task",
                "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at, locked_by, locked_at,"
                        + " lock_timeout_at, max_attempts, reapable) values ('q', 't', '{}', 2, 'RUNNING', clock_timestamp(),"
                        + " clock_timestamp(), gen_random_uuid(), clock_timestamp(), clock_timestamp() - interval '"
                        + ago
                        + "', 3, true)");
    }

    private static String reason(Health health) {
        return (String) health.getDetails().get("reason");
    }
}
