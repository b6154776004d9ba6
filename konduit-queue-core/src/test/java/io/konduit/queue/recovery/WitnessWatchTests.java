package io.konduit.queue.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.review.InspectionRepository;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.IncidentRepository;
import io.konduit.queue.store.Lease;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.WitnessRepository;
import io.konduit.queue.store.WorkerRepository;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a missing witness does to the leases of its worker, one look at a time. */
@Timeout(60)
class WitnessWatchTests {
    private static final Duration GRACE = Duration.ofSeconds(5);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final UUID worker = UUID.randomUUID();
    private QueueFixture recovery;
    private WitnessWatch watch;
    private LeaseRepository leases;
    private NotificationChannel.Subscription session;

    @BeforeEach
    void workerWithWitness() {
        recovery = new QueueFixture(harness.database());
        watch = watch(new OutageGuard(Duration.ZERO, System::nanoTime));
        leases = new LeaseRepository(harness.database(), worker);
        register(worker);
        session = new NotificationChannel(harness.database()).subscribe();
        assertThat(take(session, 1)).isTrue();
    }

    @AfterEach
    void closeSession() {
        session.close();
    }

    private WitnessWatch watch(OutageGuard guard) {
        return new WitnessWatch(
                new WitnessRepository(harness.database()),
                recovery.reclaimer(),
                guard,
                new WitnessWatch.Terms(2, "watch@test"),
                System::nanoTime);
    }

    @Test
    @Tag("K1")
    @Tag("T18")
    void leasesOfAWorkerWhoseSessionHasEndedAreEndedAfterTheGraceAndReclaimed() {
        List<TaskId> tasks = claimed(5);
        assertThat(watch.lookOnce()).isEqualTo(new WitnessWatch.Look(1, 0, null));

        WitnessWatch.Look missed = endSession();
        assertThat(missed.ended()).isZero();
        assertThat(missed.nextIn()).isPositive().isLessThanOrEqualTo(GRACE);
        assertThat(tasks).allSatisfy(id -> assertThat(harness.status(id)).isEqualTo("RUNNING"));

        missedFor(GRACE.minusMillis(500));
        assertThat(watch.lookOnce().ended()).isZero();
        missedFor(GRACE.plusMillis(1));
        assertThat(watch.lookOnce().ended()).isEqualTo(5);
        assertThat(tasks).allSatisfy(id -> assertThat(harness.status(id)).isEqualTo("PENDING"));
        assertThat(incidents("WORKER_GONE", "LEASE_ENDED")).isEqualTo(5);
        assertThat(incidents("ZOMBIE", "RECLAIMED")).isEqualTo(5);
        assertThat(harness.jdbc()
                        .sql("select count(*) from konduit_task_incident where classification = 'WORKER_GONE'"
                                + " and witness_gone_at < detected_at and last_beat_at < witness_gone_at"
                                + " and previous_owner = :worker and actor = 'watch@test'")
                        .param("worker", worker)
                        .query(Long.class)
                        .single())
                .isEqualTo(5);
        assertThat(watch.lookOnce().ended()).isZero();
    }

    @Test
    @Tag("K3")
    void aWorkerThatTakesItsWitnessAgainKeepsItsLeases() {
        TaskId task = claimed(1).get(0);
        endSession();
        missedFor(GRACE.plusSeconds(1));
        try (NotificationChannel.Subscription again = new NotificationChannel(harness.database()).subscribe()) {
            take(again, 2);
            assertThat(watch.lookOnce()).isEqualTo(new WitnessWatch.Look(1, 0, null));
        }
        assertThat(harness.status(task)).isEqualTo("RUNNING");
    }

    @Test
    @Tag("K3")
    void aWorkerThatRenouncesItsWitnessKeepsItsLeases() {
        TaskId task = claimed(1).get(0);
        endSession();
        missedFor(GRACE.plusSeconds(1));
        new WitnessRepository(harness.database()).renounce(worker, 2);
        assertThat(watch.lookOnce()).isEqualTo(new WitnessWatch.Look(0, 0, null));
        assertThat(harness.status(task)).isEqualTo("RUNNING");
    }

    @Test
    @Tag("K3")
    void aBeatOrAClaimAfterTheWitnessWasMissedIsASignOfLife() {
        TaskId before = claimed(1).get(0);
        endSession();
        TaskId after = claimed(1).get(0);
        missedFor(GRACE.plusSeconds(1));
        harness.jdbc()
                .sql("update konduit_task set locked_at = clock_timestamp() where id = :id")
                .param("id", after.value())
                .update();
        assertThat(watch.lookOnce().ended()).isEqualTo(1);
        assertThat(harness.status(before)).isEqualTo("PENDING");
        assertThat(harness.status(after)).isEqualTo("RUNNING");

        TaskId third = claimed(1).get(0);
        missedFor(GRACE.plusSeconds(1));
        harness.jdbc()
                .sql("update konduit_task set locked_at = locked_at - interval '1 hour' where id = :id")
                .param("id", third.value())
                .update();
        harness.jdbc()
                .sql("update konduit_worker set last_beat_at = clock_timestamp()")
                .update();
        assertThat(watch.lookOnce().ended()).isZero();
        assertThat(harness.status(third)).isEqualTo("RUNNING");
    }

    @Test
    @Tag("K4")
    @Tag("K5")
    void aWitnessOfAnotherServerOrOfANobodyCountsForNothing() {
        TaskId task = claimed(1).get(0);
        endSession();
        assertThat(isListedWithWitness()).isTrue();
        harness.jdbc()
                .sql("update konduit_worker set witness_server = witness_server - interval '1 hour'")
                .update();
        assertThat(isListedWithWitness()).isFalse();
        assertThat(watch.lookOnce()).isEqualTo(new WitnessWatch.Look(0, 0, null));
        harness.jdbc().sql("update konduit_worker set witness = null").update();
        assertThat(watch.lookOnce()).isEqualTo(new WitnessWatch.Look(0, 0, null));
        assertThat(harness.status(task)).isEqualTo("RUNNING");
    }

    @Test
    @Tag("K1")
    @Tag("L13")
    void aTaskThatMustNotRunTwiceKeepsItsLease() {
        harness.queue().enqueue(TaskRequest.of("work", 1).reapable(false));
        harness.queue().enqueue(TaskRequest.of("work", 2));
        QueueHarness.claim(leases, 2, List.of("work"));
        endSession();
        missedFor(GRACE.plusSeconds(1));
        assertThat(watch.lookOnce().ended()).isEqualTo(1);
        assertThat(harness.jdbc()
                        .sql("select status from konduit_task where not reapable")
                        .query(String.class)
                        .list())
                .containsExactly("RUNNING");
    }

    /** A look and the statement that follows it are two: everything is checked again. */
    @Test
    @Tag("T18")
    void whatALookFoundIsCheckedAgainWhenLeasesAreEnded() {
        claimed(1);
        harness.jdbc()
                .sql("update konduit_worker set witness_gone_at = clock_timestamp()")
                .update();
        missedFor(GRACE.plusSeconds(1));
        assertThat(endLeases()).as("held again").isZero();

        harness.jdbc().sql("update konduit_worker set witness_gone_at = null").update();
        endSession();
        missedFor(GRACE.minusMillis(500));
        assertThat(endLeases()).as("within the grace").isZero();

        missedFor(GRACE.plusSeconds(1));
        harness.jdbc()
                .sql("update konduit_worker set witness_server = witness_server - interval '1 hour'")
                .update();
        assertThat(endLeases()).as("of another server").isZero();

        harness.jdbc()
                .sql("update konduit_worker set witness_server = pg_postmaster_start_time()")
                .update();
        assertThat(endLeases()).isEqualTo(1);
    }

    private int endLeases() {
        return new WitnessRepository(harness.database())
                .endLeases(List.of(worker), "test", 10)
                .size();
    }

    @Test
    @Tag("K4")
    void nothingIsEndedRightAfterAnOutage() {
        claimed(1);
        endSession();
        OutageGuard guard = new OutageGuard(Duration.ofSeconds(10), System::nanoTime);
        WitnessWatch careful = watch(guard);
        careful.lookOnce();
        missedFor(GRACE.plusSeconds(1));
        guard.failed();
        assertThat(careful.lookOnce().ended()).isZero();
    }

    @Test
    @Tag("K1")
    void aLockedTaskIsLeftToTheNextLookAndDelaysNobody() {
        List<TaskId> tasks = claimed(3);
        endSession();
        missedFor(GRACE.plusSeconds(1));
        harness.transaction().executeWithoutResult(transaction -> {
            harness.jdbc()
                    .sql("select 1 from konduit_task where id = :id for update")
                    .param("id", tasks.get(0).value())
                    .query(Integer.class)
                    .single();
            assertThat(CompletableFuture.supplyAsync(() -> watch.lookOnce().ended())
                            .join())
                    .isEqualTo(2);
        });
        assertThat(watch.lookOnce().ended()).isEqualTo(1);
    }

    @Test
    @Tag("K1")
    void whileNoTaskRunsTheLocksAreNotRead() {
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            WitnessRepository witnesses = new WitnessRepository(counted.database());
            witnesses.look();
            counted.journal().explain(true);
            assertThat(witnesses.look()).isEmpty();
            assertThat(counted.journal().plans().values())
                    .singleElement()
                    .asString()
                    .containsPattern("Function Scan on pg_lock_status l \\(never executed\\)");
            claimed(1);
            assertThat(witnesses.look()).hasSize(1);
            assertThat(counted.journal().plans().values())
                    .singleElement()
                    .asString()
                    .doesNotContainPattern("Function Scan on pg_lock_status l \\(never executed\\)");
        }
    }

    /** Its row is kept for a day. */
    @Test
    @Tag("K1")
    void aDeadWorkerWithoutLeasesCostsOneStatementMoreAndThenNoMore() {
        claimed(1);
        endSession();
        missedFor(GRACE.plusSeconds(1));
        assertThat(watch.lookOnce().ended()).isEqualTo(1);
        UUID busy = UUID.randomUUID();
        harness.jdbc().sql("update konduit_task set run_at = clock_timestamp()").update();
        QueueHarness.claim(new LeaseRepository(harness.database(), busy), 1, List.of("work"));
        watch.lookOnce();
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            WitnessWatch later = new WitnessWatch(
                    new WitnessRepository(counted.database()),
                    recovery.reclaimer(),
                    new OutageGuard(Duration.ZERO, System::nanoTime),
                    new WitnessWatch.Terms(2, "watch@test"),
                    System::nanoTime);
            later.lookOnce();
            assertThat(counted.statementsOf(later::lookOnce)).hasSize(1);
        }
    }

    /** Two incidents tell of it, and it was one reclaim. */
    @Test
    @Tag("F2")
    void aFalseReclaimAfterAnEarlyEndOfTheLeaseIsCountedOnce() {
        harness.queue().enqueue("work", null);
        Lease lease = QueueHarness.claim(leases, 1, List.of("work")).get(0).lease();
        endSession();
        missedFor(GRACE.plusSeconds(1));
        assertThat(watch.lookOnce().ended()).isEqualTo(1);
        assertThat(new IncidentRepository(harness.database()).recordLateOutcome(List.of(lease), worker, "COMPLETED"))
                .isEqualTo(1);
        assertThat(harness.count("select count(*) from konduit_task_incident where late_outcome = 'COMPLETED'"))
                .isEqualTo(2);
    }

    /** Somebody's open transaction, as of an operator who drains workers. */
    @Test
    @Tag("K1")
    void aLockedRowOfOneWorkerDelaysNeitherTheOthersNorTheReaper() throws Exception {
        UUID other = UUID.randomUUID();
        LeaseRepository othersLeases = new LeaseRepository(harness.database(), other);
        register(other);
        try (NotificationChannel.Subscription its = new NotificationChannel(harness.database()).subscribe()) {
            its.takeWitness(other, GRACE, 1, Duration.ofSeconds(5));
        }
        TaskId lockedWorkers = claimed(1).get(0);
        harness.queue().enqueue("work", null);
        TaskId others = new TaskId(QueueHarness.claim(othersLeases, 1, List.of("work"))
                .get(0)
                .lease()
                .taskId());
        freeLock();
        freeLock(other);
        try (Connection holder =
                harness.testDatabase().locking("select * from konduit_worker where id = '" + worker + "' for update")) {
            assertThat(watch.lookOnce().nextIn()).isNotNull();
            assertThat(harness.jdbc()
                            .sql("select id from konduit_worker where witness_gone_at is not null")
                            .query(UUID.class)
                            .list())
                    .containsExactly(other);
            holder.rollback();
        }
        watch.lookOnce();
        missedFor(GRACE.plusSeconds(1));
        try (Connection holder =
                harness.testDatabase().locking("select * from konduit_worker where id = '" + worker + "' for update")) {
            assertThat(watch.lookOnce().ended()).isEqualTo(1);
            assertThat(harness.status(others)).isEqualTo("PENDING");
            holder.rollback();
        }
        assertThat(harness.status(lockedWorkers)).isEqualTo("RUNNING");
        assertThat(watch.lookOnce().ended()).isEqualTo(1);
    }

    /** Its grace would have begun before the take, and the worker counts from there. */
    @Test
    @Tag("K3")
    void aTakeThatCameAfterTheLocksWereReadIsNotMissed() throws Exception {
        UUID other = UUID.randomUUID();
        register(other);
        try (NotificationChannel.Subscription its = new NotificationChannel(harness.database()).subscribe()) {
            its.takeWitness(other, GRACE, 1, Duration.ofSeconds(5));
        }
        claimed(1);
        freeLock();
        freeLock(other);
        CompletableFuture<WitnessWatch.Look> look;
        try (Connection holder = harness.testDatabase()
                        .locking("select * from konduit_worker where id = '" + worker + "' for update");
                NotificationChannel.Subscription again = new NotificationChannel(harness.database()).subscribe()) {
            look = CompletableFuture.supplyAsync(() -> watch.lookOnce());
            await().until(() -> look.isDone() || harness.count("select count(*) from pg_locks where not granted") > 0);
            again.takeWitness(other, GRACE, 2, Duration.ofSeconds(5));
            holder.rollback();
            look.join();
            assertThat(harness.jdbc()
                            .sql("select count(*) from konduit_worker where witness_gone_at is not null and id = :id")
                            .param("id", other)
                            .query(Long.class)
                            .single())
                    .isZero();
        }
    }

    /** K3: the server carries out a take after the worker has given it up and renounced, or the other way round. */
    @Test
    @Tag("K3")
    void aTakeOrARenouncementThatComesTooLateChangesNothing() {
        WitnessRepository witnesses = new WitnessRepository(harness.database());
        TaskId task = claimed(1).get(0);
        witnesses.renounce(worker, 3);
        assertThat(take(session, 2)).isFalse();
        freeLock();
        assertThat(watch.lookOnce()).isEqualTo(new WitnessWatch.Look(0, 0, null));
        assertThat(harness.status(task)).isEqualTo("RUNNING");

        try (NotificationChannel.Subscription again = new NotificationChannel(harness.database()).subscribe()) {
            assertThat(take(again, 5)).isTrue();
            witnesses.renounce(worker, 4);
            assertThat(watch.lookOnce()).isEqualTo(new WitnessWatch.Look(1, 0, null));
        }
    }

    /** The worker ends its handlers by its own grace. A leader with another setting must not be faster. */
    @Test
    @Tag("K3")
    void theGraceIsThatOfTheWorker() {
        session.takeWitness(worker, GRACE.multipliedBy(10), 2, Duration.ofSeconds(5));
        TaskId task = claimed(1).get(0);
        endSession();
        missedFor(GRACE.multipliedBy(9));
        assertThat(watch.lookOnce().nextIn()).isPositive();
        assertThat(endLeases()).isZero();
        assertThat(harness.status(task)).isEqualTo("RUNNING");
        missedFor(GRACE.multipliedBy(10).plusMillis(1));
        assertThat(watch.lookOnce().ended()).isEqualTo(1);
    }

    /** A look may wait before it sees the locks. The worker may have answered meanwhile. */
    @Test
    @Tag("K3")
    void theGraceBeginsWhenTheLocksWereSeenHoweverLongTheLookWaited() throws Exception {
        claimed(1);
        freeLock();
        CompletableFuture<WitnessWatch.Look> look;
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table konduit_worker in access exclusive mode");
            look = CompletableFuture.supplyAsync(() -> watch.lookOnce());
            await().until(() -> harness.count("select count(*) from pg_locks where not granted") == 1);
            statement.execute("create table seen_from as select clock_timestamp() as at");
            other.commit();
        }
        assertThat(look.join().nextIn()).isNotNull();
        assertThat(harness.count("select count(*) from konduit_worker, seen_from where witness_gone_at > at"))
                .isEqualTo(1);
        harness.testDatabase().execute("drop table seen_from");
    }

    /** A statement may wait after its own timestamp was taken and before it reads the locks. */
    @Test
    @Tag("K3")
    void theGraceBeginsAfterTheStatementThatLooked() {
        claimed(1);
        freeLock();
        harness.testDatabase()
                .execute(
                        "create function earlier() returns trigger language plpgsql as $$ begin"
                                + " if new.witness_gone_at <= statement_timestamp() then"
                                + " raise 'noted as of the start of the statement'; end if; return new; end $$",
                        "create trigger earlier before update on konduit_worker for each row execute function earlier()");
        try {
            watch.lookOnce();
        } finally {
            harness.testDatabase().execute("drop function earlier() cascade");
        }
        assertThat(harness.count("select count(*) from konduit_worker where witness_gone_at is not null"))
                .isEqualTo(1);
    }

    /** K5: as the endpoint tells. */
    private static boolean isListedWithWitness() {
        return new InspectionRepository(harness.database(), Duration.ofMinutes(1))
                .workers(1)
                .get(0)
                .witness();
    }

    private static void register(UUID worker) {
        new WorkerRepository(harness.database())
                .beat(new WorkerRepository.Registration(worker, "w", "localhost", 1, "1", null, List.of("default"), 4));
    }

    private boolean take(NotificationChannel.Subscription with, long term) {
        return with.takeWitness(worker, GRACE, term, Duration.ofSeconds(5));
    }

    private void freeLock() {
        session.close();
        freeLock(worker);
    }

    private static void freeLock(UUID worker) {
        await().until(() ->
                harness.count("select count(*) from pg_locks where locktype = 'advisory' and objid::bigint = "
                                + Integer.toUnsignedLong(worker.hashCode()))
                        == 0);
    }

    /** Ends the session and looks until its lock is gone: the server ends it on its own time. */
    private WitnessWatch.Look endSession() {
        session.close();
        AtomicReference<WitnessWatch.Look> look = new AtomicReference<>();
        await().until(() -> {
            look.set(watch.lookOnce());
            return look.get().nextIn() != null;
        });
        return look.get();
    }

    private List<TaskId> claimed(int count) {
        for (int i = 0; i < count; i++) {
            harness.queue().enqueue(TaskRequest.of("work", i));
        }
        return QueueHarness.claim(leases, count, List.of("work")).stream()
                .map(ClaimedTask::lease)
                .map(lease -> new TaskId(lease.taskId()))
                .toList();
    }

    /** Moves everything back so that the witness was missed that long ago, and the worker was silent before that. */
    private void missedFor(Duration time) {
        harness.jdbc()
                .sql("update konduit_worker set witness_gone_at = clock_timestamp() - :ms * interval '1 ms',"
                        + " last_beat_at = clock_timestamp() - interval '1 hour' where witness_gone_at is not null")
                .param("ms", time.toMillis())
                .update();
        harness.jdbc()
                .sql(
                        "update konduit_task set locked_at = clock_timestamp() - interval '1 hour' where status = 'RUNNING'")
                .update();
    }

    private long incidents(String classification, String action) {
        return harness.jdbc()
                .sql(
                        "select count(*) from konduit_task_incident where classification = :classification and action = :action")
                .param("classification", classification)
                .param("action", action)
                .query(Long.class)
                .single();
    }
}
