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
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.QueueAdministration;
import io.konduit.queue.operations.DatabaseQueueAdministration;
import io.konduit.queue.review.PauseRepository;
import io.konduit.queue.store.AuditRepository.Author;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.Failure;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.RetentionRepository;
import io.konduit.queue.store.RetentionRepository.Kind;
import io.konduit.queue.store.WorkerRepository;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is removed and when, on a database clock that stands still. */
@Tag("R1")
class RowPrunerTests {
    private static final Instant START = Instant.parse("2031-06-15T12:00:00Z");
    private static final Duration KEEP = Duration.ofDays(7);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static DatabaseClock clock;
    static StatementProbe probe;
    static QueueFixture shared;
    QueueFixture recovery;
    LeaseRepository worker;

    @BeforeAll
    static void stopTheClock() {
        clock = DatabaseClock.install(harness.testDatabase(), START);
        HikariDataSource application = harness.testDatabase().newPool(8);
        probe = new StatementProbe(application);
        shared = new QueueFixture(QueueFixture.databaseOn(probe));
    }

    @BeforeEach
    void setUp() {
        clock.set(START);
        harness.testDatabase().execute("truncate konduit_audit, konduit_queue_audit, konduit_queue");
        probe.reset();
        recovery = new QueueFixture(shared.database());
        worker = recovery.newWorker();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @Tag("T15")
    void removesWhatIsOlderThanItsTimeAndNothingElse(Kind kind) {
        create(kind, 3);
        clock.set(START.plus(KEEP));
        create(kind, 2);

        assertThat(prune(kind, 100)).as("exactly as old as its time").isZero();
        clock.advance(Duration.ofMillis(1));
        assertThat(prune(kind, 100)).isEqualTo(3);

        assertThat(rows(kind)).isEqualTo(2);
        assertThat(prune(kind, 100)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void removesInBatchesThatAreEachATransaction(Kind kind) {
        create(kind, 25);
        clock.advance(KEEP.plusMillis(1));
        probe.reset();
        List<Long> left = new java.util.ArrayList<>();
        for (int batch = 0; batch < 3; batch++) {
            probe.onceAfter("delete from " + table(kind), () -> left.add(rowsSeenByOthers(kind)));
        }

        assertThat(prune(kind, 10)).isEqualTo(25);

        assertThat(probe.count("delete from " + table(kind))).isEqualTo(3);
        assertThat(left).containsExactly(15L, 5L, 0L);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void rowThatSomebodyHasLockedIsSkippedAndRemovedLater(Kind kind) throws SQLException {
        create(kind, 12);
        clock.advance(KEEP.plusMillis(1));
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            // more than one batch of the oldest
            statement.execute("select 1 from " + table(kind) + " order by " + age(kind) + ", " + key(kind)
                    + " limit 11 for update");

            assertThat(prune(kind, 10)).isEqualTo(1);
            other.rollback();
        }
        assertThat(prune(kind, 10)).isEqualTo(11);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void logsOneLineWhenSomethingWasRemovedAndNothingOtherwise(Kind kind) {
        create(kind, 2);
        try (CapturedLog log = CapturedLog.ofPackageOf(RowPruner.class)) {
            prune(kind, 10);
            assertThat(log.all()).isEmpty();
            clock.advance(KEEP.plusMillis(1));
            prune(kind, 10);

            assertThat(log.all()).hasSize(1);
            assertThat(log.at(Level.INFO)).containsExactly("Removed 2 rows (" + kind + ")");
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void zeroKeepsForEver(Kind kind) {
        create(kind, 2);
        clock.advance(Duration.ofDays(4_000));

        assertThat(new RowPruner(new RetentionRepository(recovery.database()), kind, Duration.ZERO, 10).pruneOnce())
                .isZero();

        assertThat(rows(kind)).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void heldWaitingAndRunningTasksAreNeverRemoved(Kind kind) {
        ClaimedTask held =
                recovery.orphan(worker, TaskRequest.of("payment", null).reapable(false));
        recovery.reclaimer().reclaimOnce();
        ClaimedTask running = recovery.running(worker);
        TaskId waiting = recovery.queue().enqueue(TaskRequest.of("report", null).delay(Duration.ofDays(9_000)));
        clock.advance(Duration.ofDays(4_000));

        prune(kind, 10);

        assertThat(recovery.status(held.id())).isEqualTo("HELD");
        assertThat(recovery.status(running.id())).isEqualTo("RUNNING");
        assertThat(recovery.status(waiting.value())).isEqualTo("PENDING");
    }

    @Test
    void incidentOutlivesItsTask() {
        TaskId id = recovery.queue().enqueue("report", null);
        recovery.crashOnce(id);
        recovery.queue().cancel(id);
        harness.testDatabase().execute("truncate konduit_task_history");

        assertThat(recovery.status(id.value())).isEqualTo("GONE");
        assertThat(recovery.inspection().incidentsOf(id, 10)).hasSize(2);
    }

    @Test
    void evidenceOfAHeldTaskStaysAsLongAsItIsHeld() {
        ClaimedTask held =
                recovery.orphan(worker, TaskRequest.of("payment", null).reapable(false));
        recovery.reclaimer().reclaimOnce();
        create(Kind.INCIDENTS, 15);
        clock.advance(KEEP.plusMillis(1));

        assertThat(prune(Kind.INCIDENTS, 10)).isEqualTo(15);
        assertThat(recovery.inspection().held(null, 10))
                .singleElement()
                .satisfies(task -> assertThat(task.previousOwner()).isEqualTo(worker.worker()));
        recovery.administration().fail(TaskId.of(held.id()), "ada", null);

        assertThat(prune(Kind.INCIDENTS, 10))
                .as("the hold, but not the decision of today")
                .isEqualTo(1);
    }

    @Test
    void actorOfAPauseIsKeptAsLongAsTheQueueIsPaused() {
        QueueAdministration queues =
                new DatabaseQueueAdministration(new PauseRepository(recovery.database()), woken -> {});
        recovery.queue().enqueue(TaskRequest.of("report", null).queue("mail"));
        queues.pause("mail", "ada", "provider is down");
        clock.advance(KEEP.plusMillis(1));
        assertThat(prune(Kind.QUEUE_AUDIT, 10)).isZero();

        queues.resume("mail", "ada", null);

        assertThat(prune(Kind.QUEUE_AUDIT, 10))
                .as("the pause, but not the decision of today")
                .isEqualTo(1);
    }

    @Test
    void workerThatStillBeatsStays() {
        WorkerRepository workers = new WorkerRepository(recovery.database());
        WorkerRepository.Registration registration = registration();
        workers.beat(registration);
        clock.advance(KEEP.plusMillis(1));
        workers.beat(registration);

        assertThat(prune(Kind.WORKERS, 10)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @Tag("R2")
    void eachBatchReadsAnIndexAndNotTheWholeTable(Kind kind) {
        if (index(kind).equals("none")) {
            return; // a handful of rows, whatever has passed through the queue
        }
        harness.testDatabase().execute("analyze");
        create(kind, 1);
        String sql = resource(kind)
                .replace(":keepMs", Long.toString(KEEP.toMillis()))
                .replace(":limit", "5000");
        harness.testDatabase()
                .execute(
                        "insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts,"
                                + " zombie_count, lease_epoch, created_at, finished_at) select -n, 'default', 'report', '{}', 2,"
                                + " 'COMPLETED', clock_timestamp(), 1, 0, 1, clock_timestamp(), clock_timestamp()"
                                + " from generate_series(1, 20000) n",
                        "insert into konduit_task_incident (task_id, queue, type, classification, action, actor, lease_epoch,"
                                + " detected_at, attempts, zombie_count) select -n, 'default', 'report', 'ZOMBIE', 'RECLAIMED',"
                                + " 'reaper', 1, clock_timestamp(), 1, 1 from generate_series(1, 20000) n",
                        "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                                + " select 'default', 'report', '{}', 2, 'PENDING', clock_timestamp(), clock_timestamp()"
                                + " from generate_series(1, 20000) n",
                        "insert into konduit_task_error (task_id, lease_epoch, attempt, type, stack, outcome, worker, at)"
                                + " select -n, 1, 1, 'java.io.IOException', 'at x.Y', 'RETRIED', gen_random_uuid(), clock_timestamp()"
                                + " from generate_series(1, 20000) n",
                        "insert into konduit_schedule_firing (schedule, nominal_at, outcome, dropped, recorded_at)"
                                + " select 'hourly', clock_timestamp() - n * interval '1 hour', 'FIRED', 0, clock_timestamp()"
                                + " from generate_series(1, 20000) n",
                        "analyze");

        String plan = String.join(
                "\n", recovery.jdbc().sql("explain " + sql).query(String.class).list());

        assertThat(plan).contains("Index Scan using " + index(kind)).doesNotContain("Seq Scan");
    }

    private int prune(Kind kind, int batchSize) {
        return new RowPruner(new RetentionRepository(recovery.database()), kind, KEEP, batchSize).pruneOnce();
    }

    private void create(Kind kind, int count) {
        for (int i = 0; i < count; i++) {
            switch (kind) {
                case FAILED ->
                    worker.fail(
                            List.of(new Failure(recovery.running(worker).lease(), true, Duration.ZERO, "it failed")));
                case INCIDENTS -> recovery.queue().cancel(recovery.queue().enqueue("report", null));
                case AUDIT -> drained();
                case QUEUE_AUDIT -> pausedAndResumed(i);
                case WORKERS -> new WorkerRepository(recovery.database()).beat(registration());
                case FIRINGS -> fired();
            }
        }
    }

    private void drained() {
        WorkerRepository workers = new WorkerRepository(recovery.database());
        WorkerRepository.Registration registration = registration();
        workers.beat(registration);
        workers.drain(registration.id(), new Author("ada", null));
    }

    private void fired() {
        harness.jdbc()
                .sql("insert into konduit_schedule_firing (schedule, nominal_at, outcome, dropped, recorded_at)"
                        + " values (gen_random_uuid()::text, clock_timestamp(), 'DROPPED', 0, statement_timestamp())")
                .update();
    }

    private void pausedAndResumed(int number) {
        harness.jdbc()
                .sql("insert into konduit_queue_audit (queue, action, actor, at)"
                        + " values ('mail', :action, 'ada', statement_timestamp())")
                .param("action", number % 2 == 0 ? "PAUSED" : "RESUMED")
                .update();
    }

    private static WorkerRepository.Registration registration() {
        return new WorkerRepository.Registration(
                UUID.randomUUID(), "test", "localhost", 1, "1", null, List.of("default"), 4);
    }

    private long rows(Kind kind) {
        return recovery.count("select count(*) from " + table(kind));
    }

    private long rowsSeenByOthers(Kind kind) {
        return harness.count("select count(*) from " + table(kind));
    }

    private static String table(Kind kind) {
        return switch (kind) {
            case FAILED -> "konduit_task";
            case INCIDENTS -> "konduit_task_incident";
            case AUDIT -> "konduit_audit";
            case QUEUE_AUDIT -> "konduit_queue_audit";
            case WORKERS -> "konduit_worker";
            case FIRINGS -> "konduit_schedule_firing";
        };
    }

    private static String age(Kind kind) {
        return switch (kind) {
            case FAILED -> "finished_at";
            case INCIDENTS -> "detected_at";
            case AUDIT, QUEUE_AUDIT -> "at";
            case WORKERS -> "last_beat_at";
            case FIRINGS -> "recorded_at";
        };
    }

    private static String key(Kind kind) {
        return kind == Kind.FIRINGS ? "schedule" : "id";
    }

    private static String index(Kind kind) {
        return switch (kind) {
            case FAILED -> "konduit_task_ended";
            case INCIDENTS -> "konduit_task_incident_detected";
            case FIRINGS -> "konduit_schedule_firing_recorded";
            case AUDIT, QUEUE_AUDIT, WORKERS -> "none";
        };
    }

    private static String resource(Kind kind) {
        String name = kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
        try (var in = RetentionRepository.class.getResourceAsStream("prune-" + name + ".sql")) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
