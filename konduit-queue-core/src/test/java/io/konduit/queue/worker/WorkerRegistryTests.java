package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.admin.ReclaimResult;
import io.konduit.queue.event.WorkerMarkedStale;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.recovery.OrphanReclaimer;
import io.konduit.queue.recovery.StaleWorkerMarker;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.ReclaimRepository;
import io.konduit.queue.store.RetentionRepository;
import io.konduit.queue.store.ServerTime;
import io.konduit.queue.store.WorkerRepository;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class WorkerRegistryTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Duration THRESHOLD = Duration.ofSeconds(60);
    private static final List<String> QUEUES = List.of("default", "mail");

    private final WorkerIdentity identity = WorkerIdentity.create("orders");
    private final WorkerRegistry registry = registry(identity);

    private static WorkerRegistry registry(WorkerIdentity identity) {
        return registry(identity, new OutageGuard(Duration.ofSeconds(10), System::nanoTime));
    }

    private static WorkerRegistry registry(WorkerIdentity identity, OutageGuard guard) {
        return new WorkerRegistry(new WorkerRepository(harness.database()), identity, guard, System::nanoTime);
    }

    private static int markStaleOnce() {
        return markStaleOnce(harness.queueEvents());
    }

    private static int markStaleOnce(QueueEvents events) {
        return new StaleWorkerMarker(new WorkerRepository(harness.database()), THRESHOLD, events).markOnce();
    }

    @Test
    @Tag("H1")
    void registersWithEverythingPeopleWantToKnow() {
        registry.beat(QUEUES, 14);
        assertThat(row(identity))
                .isEqualTo(new Row(
                        "orders",
                        identity.host(),
                        ProcessHandle.current().pid(),
                        identity.version(),
                        "default,mail",
                        14,
                        "ACTIVE"));
        assertThat(identity.host()).isNotBlank();
    }

    @Test
    @Tag("H1")
    void everyStartHasAnIdentityOfItsOwn() {
        WorkerIdentity restarted = WorkerIdentity.create("orders");
        assertThat(restarted.id()).isNotEqualTo(identity.id());
        registry.beat(QUEUES, 1);
        registry(restarted).beat(QUEUES, 1);
        assertThat(count()).isEqualTo(2);
    }

    @Test
    @Tag("H1")
    void aBeatIsNotedByTheDatabasesClock() {
        registry.beat(QUEUES, 1);
        silentFor(identity, Duration.ofSeconds(50));
        registry.beat(QUEUES, 1);
        assertThat(silence(identity)).isLessThan(Duration.ofSeconds(20));
        assertThat(count()).isEqualTo(1);
    }

    @Test
    @Tag("H1")
    void aStoppedWorkerLeavesTheRegistry() {
        WorkerLifecycle worker = harness.startWorker();
        assertThat(row(worker.identity())).returns("ACTIVE", Row::status).returns(4, Row::concurrency);
        worker.stop();
        assertThat(count()).isZero();
    }

    @Test
    @Tag("H1")
    void aRowThatSomebodyRemovedComesBackWithTheNextBeat() {
        registry.beat(QUEUES, 3);
        harness.testDatabase().execute("delete from konduit_worker");
        registry.beat(QUEUES, 3);
        assertThat(row(identity)).returns("ACTIVE", Row::status).returns(3, Row::concurrency);
    }

    @Test
    @Tag("H2")
    void marksASilentWorkerStaleOnceAndTellsOfIt() {
        registry.beat(QUEUES, 1);
        silentFor(identity, Duration.ofSeconds(61));
        try (CapturedLog log = new CapturedLog(StaleWorkerMarker.class)) {
            assertThat(markStaleOnce()).isEqualTo(1);
            assertThat(markStaleOnce()).isZero();
            assertThat(log.at(Level.WARN)).singleElement().asString().contains("orders", "STALE", "leases expire");
        }
        assertThat(row(identity)).returns("STALE", Row::status);
        assertThat(harness.events()).singleElement().isInstanceOfSatisfying(WorkerMarkedStale.class, event -> {
            assertThat(event.worker()).isEqualTo(identity.id());
            assertThat(event.name()).isEqualTo("orders");
            assertThat(event.silentFor()).isBetween(Duration.ofSeconds(61), Duration.ofSeconds(120));
        });
    }

    @Test
    @Tag("H2")
    void aWorkerThatWasSilentForLessThanTheThresholdStaysActive() {
        registry.beat(QUEUES, 1);
        silentFor(identity, THRESHOLD.minusSeconds(20));
        assertThat(markStaleOnce()).isZero();
        assertThat(row(identity)).returns("ACTIVE", Row::status);
        assertThat(harness.events()).isEmpty();
    }

    @Test
    @Tag("H2")
    void aStaleWorkerThatBeatsAgainIsActiveAndCanBecomeStaleAgain() {
        registry.beat(QUEUES, 1);
        silentFor(identity, Duration.ofHours(1));
        markStaleOnce();
        registry.beat(QUEUES, 1);
        assertThat(row(identity)).returns("ACTIVE", Row::status);
        silentFor(identity, Duration.ofHours(1));
        assertThat(markStaleOnce()).isEqualTo(1);
        assertThat(harness.events()).hasSize(2);
    }

    @Test
    @Tag("H2")
    void aListenerThatThrowsDoesNotKeepOthersFromBeingMarked() {
        WorkerIdentity second = WorkerIdentity.create("second");
        registry.beat(QUEUES, 1);
        registry(second).beat(QUEUES, 1);
        silentFor(identity, Duration.ofHours(1));
        silentFor(second, Duration.ofHours(1));
        QueueEvents broken = new QueueEvents(event -> {
            throw new IllegalStateException("a broken listener");
        });
        assertThat(markStaleOnce(broken)).isEqualTo(2);
    }

    @Test
    @Tag("H2")
    void rowsOfWorkersLongGoneAreRemovedAndOthersStay() {
        WorkerIdentity gone = WorkerIdentity.create("gone");
        registry(gone).beat(QUEUES, 1);
        registry.beat(QUEUES, 1);
        silentFor(gone, Duration.ofDays(1).plusSeconds(1));
        silentFor(identity, Duration.ofHours(23));
        RetentionRepository rows = new RetentionRepository(harness.database());
        assertThat(rows.prune(RetentionRepository.Kind.WORKERS, Duration.ofDays(1), 100))
                .isEqualTo(1);
        assertThat(row(identity).status()).isEqualTo("ACTIVE");
        assertThat(count()).isEqualTo(1);
    }

    @Test
    @Tag("H3")
    void staleWorkerKeepsItsUnexpiredTask() {
        registry.beat(QUEUES, 1);
        harness.queue().enqueue("work", null);
        LeaseRepository leases = new LeaseRepository(harness.database(), identity.id());
        ClaimedTask task = harness.claimOne(leases);
        silentFor(identity, Duration.ofHours(1));
        markStaleOnce();
        ReclaimResult result = reaper().reclaimOnce();
        assertThat(result.total()).isZero();
        assertThat(leases.isHeld(task.lease())).isTrue();
        assertThat(leases.complete(List.of(task.lease()))).containsExactly(task.lease());
    }

    @Test
    @Tag("H3")
    void anActiveWorkerLosesATaskWhoseLeaseEnded() {
        registry.beat(QUEUES, 1);
        harness.queue().enqueue("work", null);
        LeaseRepository leases = new LeaseRepository(harness.database(), identity.id());
        ClaimedTask task = harness.claimOne(leases);
        harness.expireLease(task.id(), Duration.ofMillis(1));
        assertThat(reaper().reclaimOnce().reclaimed()).isEqualTo(1);
        assertThat(row(identity)).returns("ACTIVE", Row::status);
    }

    @Test
    @Tag("H10")
    void aBeatTellsOfAClockJumpAlsoWhenTheReaperSawItFirst() {
        OutageGuard guard = new OutageGuard(Duration.ofSeconds(10), System::nanoTime);
        WorkerRegistry shared = registry(identity, guard);
        ReclaimRepository database = new ReclaimRepository(harness.database());
        ServerTime now = database.serverTime();
        guard.observed(new ServerTime(now.time().minus(Duration.ofHours(1)), now.startedAt()), System.nanoTime());
        long sent = System.nanoTime();
        guard.observed(database.serverTime(), sent); // the reaper's look, an hour further
        assertThat(shared.beat(QUEUES, 1)).isTrue();
        assertThat(shared.beat(QUEUES, 1)).isFalse();
    }

    private static OrphanReclaimer reaper() {
        return harness.reclaimer();
    }

    private record Row(
            String name, String host, long pid, String version, String queues, int concurrency, String status) {}

    private static Row row(WorkerIdentity worker) {
        return harness.jdbc()
                .sql("select name, host, pid, version, array_to_string(queues, ',') as queues, concurrency, status"
                        + " from konduit_worker where id = :id")
                .param("id", worker.id())
                .query(Row.class)
                .single();
    }

    private static long count() {
        return harness.count("select count(*) from konduit_worker");
    }

    private static Duration silence(WorkerIdentity worker) {
        return Duration.ofMillis(harness.jdbc()
                .sql("select (extract(epoch from clock_timestamp() - last_beat_at) * 1000)::bigint"
                        + " from konduit_worker where id = :id")
                .param("id", worker.id())
                .query(Long.class)
                .single());
    }

    /** Lets the last beat of a worker be this long ago. */
    private static void silentFor(WorkerIdentity worker, Duration ago) {
        UUID id = worker.id();
        assertThat(harness.jdbc()
                        .sql("update konduit_worker set last_beat_at = clock_timestamp() - :ms * interval '1 ms'"
                                + " where id = :id")
                        .param("ms", ago.toMillis())
                        .param("id", id)
                        .update())
                .isEqualTo(1);
    }
}
