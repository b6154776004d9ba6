package io.konduit.queue.leader;

import static io.konduit.queue.leader.LeadershipState.LEADER;
import static io.konduit.queue.leader.LeadershipState.NOT_LEADER;
import static io.konduit.queue.leader.LeadershipState.STORE_UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.event.LeadershipAcquired;
import io.konduit.queue.event.LeadershipLost;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.store.LeaderLocks;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.WorkerRepository;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

class LeadershipTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final LeaderSettings SETTINGS = LeaderSettings.defaults();
    private static final Duration TTL = SETTINGS.lockTtl();

    /** Overflows within the tests, as it may on any machine. */
    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();

    private final List<Object> events = new CopyOnWriteArrayList<>();

    /** One instance of the application. */
    private Leadership instance(UUID worker, LockProvider locks) {
        return new Leadership(locks, SETTINGS, worker, new QueueEvents(events::add), () -> nanos);
    }

    private Leadership instance(UUID worker) {
        return instance(worker, LeaderLocks.create(harness.database(), worker));
    }

    private Leadership instance() {
        return instance(UUID.randomUUID());
    }

    @Test
    @Tag("E1")
    void oneOfThreeInstancesLeads() {
        List<Leadership> instances = Stream.generate(this::instance).limit(3).toList();
        for (int round = 0; round < 5; round++) {
            instances.forEach(Leadership::renew);
            assertThat(instances).extracting(Leadership::state).containsExactly(LEADER, NOT_LEADER, NOT_LEADER);
        }
    }

    @Test
    @Tag("K1")
    @Tag("E2")
    void aLeaderWhoseProcessHasDiedIsReplacedAtOnce() {
        UUID worker = UUID.randomUUID();
        new WorkerRepository(harness.database())
                .beat(new WorkerRepository.Registration(worker, "w", "localhost", 1, "1", null, List.of(), 1));
        Leadership leader = instance(worker);
        Leadership follower = instance();
        try (NotificationChannel.Subscription session = new NotificationChannel(harness.database()).subscribe()) {
            session.takeWitness(worker, Duration.ofSeconds(5), 1, Duration.ofSeconds(5));
            assertThat(leader.renew()).isEqualTo(LEADER);
            assertThat(follower.renew()).isEqualTo(NOT_LEADER);
        }
        await().until(() -> follower.renew() == LEADER);
        // it was alive after all
        assertThat(leader.renew()).isEqualTo(NOT_LEADER);
    }

    /** Some administrators take pg_locks away from everybody: then the TTL decides, as before. */
    @Test
    @Tag("K4")
    void somebodyLeadsWhereNobodyMayReadLocks() {
        String role = "no_locks_" + Long.toHexString(System.nanoTime());
        harness.testDatabase()
                .execute(
                        "create role " + role + " login password 'x'",
                        "grant usage on schema public to " + role,
                        "grant all on all tables in schema public to " + role,
                        "revoke select on pg_locks from public");
        try (com.zaxxer.hikari.HikariDataSource application =
                harness.testDatabase().newPool(1)) {
            application.setUsername(role);
            application.setPassword("x");
            application.setJdbcUrl(harness.testDatabase()
                    .jdbcUrl()
                    .replaceAll("user=[^&]*", "user=" + role)
                    .replaceAll("password=[^&]*", "password=x"));
            try (io.konduit.queue.jdbc.ControlPool pool =
                    new io.konduit.queue.jdbc.ControlPool(application, 1, Duration.ofSeconds(3))) {
                UUID worker = UUID.randomUUID();
                Leadership instance = instance(
                        worker,
                        LeaderLocks.create(new io.konduit.queue.jdbc.QueueDatabase(application, pool, null), worker));
                assertThat(instance.renew()).isEqualTo(LEADER);
            }
        } finally {
            harness.testDatabase()
                    .execute("grant select on pg_locks to public", "drop owned by " + role, "drop role " + role);
        }
    }

    @Test
    @Tag("K4")
    void aLeaderThatNeverHadAWitnessKeepsItsLock() {
        assertThat(instance().renew()).isEqualTo(LEADER);
        assertThat(instance().renew()).isEqualTo(NOT_LEADER);
    }

    @Test
    @Tag("E1")
    void oneLeadsWhenManyAskAtOnce() {
        List<Leadership> instances = Stream.generate(this::instance).limit(8).toList();
        assertThat(instances.parallelStream().map(Leadership::renew).filter(LEADER::equals))
                .hasSize(1);
    }

    @Test
    @Tag("E1")
    void renewsTheLockWhileItIsHealthy() {
        Leadership leader = instance();
        leader.renew();
        for (int i = 0; i < 10; i++) {
            lockEndsIn(Duration.ofSeconds(5));
            pass(SETTINGS.renewInterval());
            assertThat(leader.renew()).isEqualTo(LEADER);
            assertThat(lockLeft()).isBetween(TTL.minusSeconds(10), TTL);
        }
        assertThat(events).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {-24, 24})
    @Tag("E1")
    void theClocksOfTheInstancesDoNotMatter(long hoursOff) {
        Leadership leader = instance();
        leader.renew();
        ClockProvider.setClock(Clock.offset(Clock.systemUTC(), Duration.ofHours(hoursOff)));
        try {
            Leadership other = instance();
            assertThat(other.renew()).isEqualTo(NOT_LEADER);
            assertThat(leader.renew()).isEqualTo(LEADER);
            assertThat(lockLeft()).isBetween(TTL.minusSeconds(10), TTL);
            leader.release();
            assertThat(other.renew()).isEqualTo(LEADER);
            assertThat(lockLeft()).isBetween(TTL.minusSeconds(10), TTL);
        } finally {
            ClockProvider.setClock(Clock.systemUTC());
        }
    }

    @Test
    @Tag("E1")
    void theLockIsHeldInTheNameOfTheInstanceAndNotOfTheHost() {
        UUID worker = UUID.randomUUID();
        instance(worker).renew();
        assertThat(owner()).isEqualTo(worker.toString());
    }

    @Test
    @Tag("E2")
    void aReleasedLockCanBeHadAtOnce() {
        Leadership first = instance();
        Leadership second = instance();
        first.renew();
        assertThat(second.renew()).isEqualTo(NOT_LEADER);
        first.release();
        assertThat(first.state()).isEqualTo(NOT_LEADER);
        assertThat(second.renew()).isEqualTo(LEADER);
    }

    @Test
    @Tag("E2")
    void releasingTwiceOrWithoutTheLockTakesItFromNobody() {
        Leadership first = instance();
        Leadership second = instance();
        first.renew();
        first.release();
        second.renew();
        first.release();
        assertThat(second.renew()).isEqualTo(LEADER);
        assertThat(lockLeft()).isPositive();
    }

    @Test
    @Tag("E2")
    void aCrashedLeaderIsReplacedWhenItsTtlIsOverAndNotBefore() {
        instance().renew();
        Leadership second = instance();
        lockEndsIn(Duration.ofSeconds(10));
        assertThat(second.renew()).isEqualTo(NOT_LEADER);
        lockEndsIn(Duration.ofMillis(-1));
        assertThat(second.renew()).isEqualTo(LEADER);
    }

    @Test
    @Tag("E2")
    void theLockComesBackWhenSomebodyRemovedItsRow() {
        Leadership first = instance();
        Leadership second = instance();
        first.renew();
        second.renew();
        harness.testDatabase().execute("delete from konduit_shedlock");
        assertThat(first.renew()).as("it has lost the lock").isEqualTo(NOT_LEADER);
        assertThat(second.renew()).isEqualTo(LEADER);
        assertThat(first.renew()).isEqualTo(NOT_LEADER);
    }

    /** ShedLock would log the stack of a statement that fails. */
    @Test
    @Tag("L10")
    @ExtendWith(OutputCaptureExtension.class)
    void aStatementOfTheLockThatFailsMeansThatItsStoreDoesNotAnswer(CapturedOutput output) {
        Leadership instance = instance();
        harness.jdbc().sql("alter table konduit_shedlock rename to moved").update();
        try {
            instance.renew();
            assertThat(instance.state()).isEqualTo(LeadershipState.STORE_UNAVAILABLE);
            assertThat(output).doesNotContain("\tat ");
        } finally {
            harness.jdbc().sql("alter table moved rename to konduit_shedlock").update();
        }
    }

    @Test
    @Tag("E3")
    void tellsOncePerChange() {
        UUID worker = UUID.randomUUID();
        UUID other = UUID.randomUUID();
        Leadership first = instance(worker);
        Leadership second = instance(other);
        for (int i = 0; i < 3; i++) {
            first.renew();
            second.renew();
        }
        assertThat(events).containsExactly(new LeadershipAcquired(worker));
        lockEndsIn(Duration.ofMillis(-1));
        for (int i = 0; i < 3; i++) {
            second.renew();
            first.renew();
        }
        assertThat(events)
                .containsExactly(
                        new LeadershipAcquired(worker), new LeadershipAcquired(other), new LeadershipLost(worker));
        events.clear();
        second.release();
        second.release();
        assertThat(events).containsExactly(new LeadershipLost(other));
    }

    @Test
    @Tag("E3")
    void aListenerThatThrowsDoesNotStopTheLoop() {
        UUID worker = UUID.randomUUID();
        QueueEvents broken = new QueueEvents(event -> {
            throw new IllegalStateException("a broken listener");
        });
        Leadership leader =
                new Leadership(LeaderLocks.create(harness.database(), worker), SETTINGS, worker, broken, () -> nanos);
        assertThat(leader.renew()).isEqualTo(LEADER);
        assertThat(leader.renew()).isEqualTo(LEADER);
        leader.release();
        assertThat(leader.state()).isEqualTo(NOT_LEADER);
    }

    @Test
    @Tag("E2")
    @Tag("X18")
    void aFrozenLeaderStopsTrustingItselfBeforeItsTtlIsOver() {
        UUID frozen = UUID.randomUUID();
        Leadership first = instance(frozen);
        first.renew();
        pass(TTL.multipliedBy(9).dividedBy(10).minusNanos(1));
        assertThat(first.state()).isEqualTo(LEADER);
        pass(Duration.ofNanos(1));
        assertThat(first.state()).as("a tenth of the TTL is left in the store").isEqualTo(NOT_LEADER);
        // it wakes up when another instance has the lock
        lockEndsIn(Duration.ofMillis(-1));
        Leadership second = instance();
        assertThat(second.renew()).isEqualTo(LEADER);
        assertThat(first.renew()).isEqualTo(NOT_LEADER);
        assertThat(events).contains(new LeadershipLost(frozen));
        assertThat(second.renew()).isEqualTo(LEADER);
    }

    @Test
    @Tag("E2")
    void trustCountsFromBeforeTheStoreWasAsked() {
        ScriptedLocks locks = new ScriptedLocks();
        locks.onLock = () -> {
            pass(TTL); // the answer takes longer than the lock lasts
            return true;
        };
        assertThat(instance(UUID.randomUUID(), locks).renew()).isEqualTo(NOT_LEADER);
        assertThat(events).isEmpty();
    }

    @Test
    @Tag("E1")
    void anErrorWhileExtendingDoesNotEndLeadershipBeforeItsTime() {
        ScriptedLocks locks = new ScriptedLocks();
        Leadership leader = instance(UUID.randomUUID(), locks);
        leader.renew();
        locks.onExtend = () -> {
            throw new IllegalStateException("the store is away");
        };
        try (CapturedLog log = CapturedLog.ofPackageOf(Leadership.class)) {
            pass(SETTINGS.renewInterval());
            assertThat(leader.renew()).isEqualTo(LEADER);
            assertThat(log.at(Level.WARN)).as("told at once").hasSize(1);
            pass(SETTINGS.renewInterval());
            assertThat(leader.renew()).isEqualTo(LEADER);
            assertThat(log.at(Level.WARN)).as("told once").hasSize(1);
        }
        locks.onExtend = () -> true;
        assertThat(leader.renew()).isEqualTo(LEADER);
        pass(SETTINGS.renewInterval().multipliedBy(2));
        assertThat(leader.state()).isEqualTo(LEADER);
        assertThat(events).hasSize(1);
        assertThat(locks.locked).isEqualTo(1);
    }

    @Test
    @Tag("L10")
    void aLeaderWhoseStoreStaysAwayKnowsThatNobodyCanTell() {
        ScriptedLocks locks = new ScriptedLocks();
        Leadership leader = instance(UUID.randomUUID(), locks);
        leader.renew();
        locks.onExtend = () -> {
            throw new NoClassDefFoundError("a driver that is not there");
        };
        locks.onLock = locks.onExtend;
        pass(TTL);
        assertThat(leader.renew()).isEqualTo(STORE_UNAVAILABLE);
        assertThat(leader.renew()).isEqualTo(STORE_UNAVAILABLE);
        locks.onLock = () -> false;
        assertThat(leader.renew()).isEqualTo(NOT_LEADER);
        locks.onLock = () -> true;
        assertThat(leader.renew()).isEqualTo(LEADER);
        assertThat(events)
                .hasExactlyElementsOfTypes(LeadershipAcquired.class, LeadershipLost.class, LeadershipAcquired.class);
    }

    @Test
    @Tag("L10")
    @Tag("X17")
    void tellsAMissingStoreFromAnotherLeader() {
        Leadership first = instance();
        Leadership second = instance();
        first.renew();
        second.renew();
        harness.testDatabase().execute("alter table konduit_shedlock rename to konduit_shedlock_away");
        try {
            assertThat(second.renew()).isEqualTo(STORE_UNAVAILABLE);
            assertThat(first.renew()).as("its lock is good for a while").isEqualTo(LEADER);
            pass(TTL);
            assertThat(first.renew()).isEqualTo(STORE_UNAVAILABLE);
        } finally {
            harness.testDatabase().execute("alter table konduit_shedlock_away rename to konduit_shedlock");
        }
        lockEndsIn(Duration.ofMillis(-1));
        assertThat(second.renew()).isEqualTo(LEADER);
        assertThat(first.renew()).isEqualTo(NOT_LEADER);
    }

    @Test
    @Tag("L10")
    void nobodyWhoAsksForTheStateWaitsForAStoreThatDoesNotAnswer() {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        ScriptedLocks locks = new ScriptedLocks();
        locks.onLock = () -> {
            asked.countDown();
            try {
                answer.await();
                return true;
            } catch (InterruptedException e) {
                return false;
            }
        };
        Leadership instance = instance(UUID.randomUUID(), locks);
        CompletableFuture<LeadershipState> step = CompletableFuture.supplyAsync(instance::renew);
        await().until(() -> asked.getCount() == 0);
        LeadershipState state = assertTimeoutPreemptively(Duration.ofSeconds(10), instance::state);
        assertThat(state).isEqualTo(NOT_LEADER);
        assertThat(step).isNotDone();
        answer.countDown();
        assertThat(step.join()).isEqualTo(LEADER);
    }

    @Test
    @Tag("E4")
    void usesAnApplicationsLockProviderWithTheSettings() {
        ScriptedLocks locks = new ScriptedLocks();
        Leadership leader = instance(UUID.randomUUID(), locks);
        leader.renew();
        leader.renew();
        leader.release();
        assertThat(locks.asked.getLockAtMostFor()).isEqualTo(TTL);
        assertThat(locks.asked.getLockAtLeastFor()).isZero();
        assertThat(List.of(locks.locked, locks.extended, locks.unlocked)).containsExactly(1, 1, 1);
        assertThat(harness.count("select count(*) from konduit_shedlock")).isZero();
    }

    @Test
    @Tag("E4")
    void leadsAlsoWithALockProviderThatCannotExtend() {
        ScriptedLocks locks = new ScriptedLocks();
        locks.onExtend = () -> {
            throw new UnsupportedOperationException();
        };
        Leadership leader = instance(UUID.randomUUID(), locks);
        for (int i = 0; i < 10; i++) {
            assertThat(leader.renew()).isEqualTo(LEADER);
            pass(SETTINGS.renewInterval());
        }
        assertThat(locks.locked).isEqualTo(10);
        assertThat(locks.unlocked)
                .as("given back each time before it is taken anew")
                .isEqualTo(9);
        assertThat(events).hasSize(1);
    }

    private static void lockEndsIn(Duration time) {
        assertThat(harness.jdbc()
                        .sql("update konduit_shedlock set lock_until ="
                                + " timezone('utc', clock_timestamp()) + :ms * interval '1 ms'")
                        .param("ms", time.toMillis())
                        .update())
                .isEqualTo(1);
    }

    private static Duration lockLeft() {
        return Duration.ofMillis(harness.count(
                "select (extract(epoch from lock_until - timezone('utc', clock_timestamp())) * 1000)::bigint"
                        + " from konduit_shedlock"));
    }

    private static String owner() {
        return harness.jdbc()
                .sql("select locked_by from konduit_shedlock")
                .query(String.class)
                .single();
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
