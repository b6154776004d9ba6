package io.konduit.queue.leader;

import static io.konduit.queue.leader.LeadershipState.LEADER;
import static io.konduit.queue.leader.LeadershipState.NOT_LEADER;
import static io.konduit.queue.leader.LeadershipState.STORE_UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.event.LeadershipAcquired;
import io.konduit.queue.event.LeadershipLost;
import io.konduit.queue.recovery.ReaperChore;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.store.ChoreRepository;
import io.konduit.queue.store.LeaderLocks;
import io.konduit.queue.thread.Jitter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.dao.DataAccessResourceFailureException;

class LeaderOnlySchedulerTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Duration INTERVAL = Duration.ofSeconds(30);
    private static final Duration LONG_INTERVAL = Duration.ofHours(6);

    private final List<LeaderOnlyScheduler> instances = new ArrayList<>();
    private final TestChore vital = new TestChore(true, INTERVAL);
    private final TestChore housekeeping = new TestChore(false, LONG_INTERVAL);

    @AfterEach
    void stopAll() {
        instances.forEach(LeaderOnlyScheduler::stop);
    }

    /** Counts its passes and does what a test wants it to. */
    private static class TestChore implements Chore {
        final AtomicInteger passes = new AtomicInteger();
        final boolean vital;
        final Duration interval;
        volatile Runnable pass = () -> {};

        TestChore(boolean vital, Duration interval) {
            this.vital = vital;
            this.interval = interval;
        }

        @Override
        public String name() {
            return vital ? "vital" : "housekeeping";
        }

        @Override
        public Duration interval() {
            return interval;
        }

        @Override
        public Duration run() {
            passes.incrementAndGet();
            pass.run();
            return interval;
        }

        @Override
        public boolean isVital() {
            return vital;
        }
    }

    private LeaderOnlyScheduler instance(Chore... chores) {
        UUID worker = UUID.randomUUID();
        return instance(worker, LeaderLocks.create(harness.database(), worker), chores);
    }

    private LeaderOnlyScheduler instance(UUID worker, LockProvider locks, Chore... chores) {
        LeaderOnlyScheduler instance = new LeaderOnlyScheduler(
                new Leadership(locks, LeaderSettings.defaults(), worker, harness.queueEvents(), System::nanoTime),
                new ChoreRepository(harness.database()),
                List.of(chores),
                System::nanoTime,
                Jitter.random());
        instances.add(instance);
        return instance;
    }

    private LeaderOnlyScheduler leader() {
        return inState(LEADER, new ScriptedLocks());
    }

    private LeaderOnlyScheduler follower() {
        ScriptedLocks locks = new ScriptedLocks();
        locks.onLock = () -> false;
        return inState(NOT_LEADER, locks);
    }

    private LeaderOnlyScheduler withoutStore() {
        ScriptedLocks locks = new ScriptedLocks();
        locks.onLock = () -> {
            throw new IllegalStateException("the store is away");
        };
        return inState(STORE_UNAVAILABLE, locks);
    }

    private LeaderOnlyScheduler inState(LeadershipState state, ScriptedLocks locks) {
        LeaderOnlyScheduler instance = instance(UUID.randomUUID(), locks);
        instance.renew();
        assertThat(instance.state()).isEqualTo(state);
        return instance;
    }

    @Test
    @Tag("L4")
    @Tag("E1")
    void choresRunOnTheLeaderAndNotOnFollowers() {
        LeaderOnlyScheduler leader = leader();
        LeaderOnlyScheduler follower = follower();
        leader.tick(vital);
        leader.tick(housekeeping);
        assertThat(vital.passes).hasValue(1);
        assertThat(housekeeping.passes).hasValue(1);
        lastPassWas(housekeeping, LONG_INTERVAL.multipliedBy(10));
        follower.tick(vital);
        follower.tick(housekeeping);
        assertThat(vital.passes).hasValue(1);
        assertThat(housekeeping.passes).hasValue(1);
    }

    @Test
    @Tag("L4")
    void theLeaderRunsTheVitalChoreAgainAfterTheWaitItAskedFor() {
        LeaderOnlyScheduler leader = leader();
        assertThat(leader.tick(vital)).isEqualTo(INTERVAL);
        leader.tick(vital);
        assertThat(vital.passes).hasValue(2);
    }

    @Test
    @Tag("E1")
    void theLeaderRenewsInTimeAndAFollowerTriesAgainSooner() {
        LeaderSettings settings = LeaderSettings.defaults();
        assertThat(leader().renew()).isEqualTo(settings.renewInterval());
        assertThat(follower().renew())
                .isBetween(
                        settings.acquireRetryInterval().multipliedBy(8).dividedBy(10), settings.acquireRetryInterval());
    }

    @Test
    @Tag("L4")
    void aPassIsRecordedWithTheInstanceThatMadeIt() {
        UUID worker = UUID.randomUUID();
        LeaderOnlyScheduler leader = instance(worker, new ScriptedLocks());
        leader.renew();
        leader.tick(vital);
        assertThat(harness.jdbc()
                        .sql("select worker from konduit_chore where name = 'vital'")
                        .query(UUID.class)
                        .single())
                .isEqualTo(worker);
        assertThat(new ChoreRepository(harness.database()).sinceLastPass("vital"))
                .hasValueSatisfying(since -> assertThat(since).isLessThan(Duration.ofSeconds(20)));
    }

    @Test
    @Tag("L10")
    void aFollowerTakesOverWhenNoPassWasRecordedForTwoIntervals() {
        leader().tick(vital);
        LeaderOnlyScheduler follower = follower();
        lastPassWas(vital, INTERVAL.multipliedBy(2).minusSeconds(15));
        assertThat(follower.tick(vital)).isBetween(INTERVAL.multipliedBy(8).dividedBy(10), INTERVAL);
        assertThat(vital.passes).as("the leader still has time").hasValue(1);
        lastPassWas(vital, INTERVAL.multipliedBy(2));
        try (CapturedLog log = CapturedLog.ofPackageOf(LeaderOnlyScheduler.class)) {
            follower.tick(vital);
            assertThat(log.at(Level.WARN))
                    .containsExactly("No instance has run 'vital' for 2 intervals: this one does");
        }
        assertThat(vital.passes).hasValue(2);
        follower.tick(vital);
        assertThat(vital.passes).as("its own pass counts for everybody").hasValue(2);
    }

    @Test
    @Tag("L10")
    void aFollowerTakesOverWhenNoPassWasEverRecorded() {
        follower().tick(vital);
        assertThat(vital.passes).hasValue(1);
    }

    @Test
    @Tag("L10")
    void aFollowerThatCannotReadTheLastPassLeavesTheChoreToTheLeader() {
        LeaderOnlyScheduler follower = follower();
        harness.testDatabase().execute("alter table konduit_chore rename to konduit_chore_away");
        try {
            follower.tick(vital);
        } finally {
            harness.testDatabase().execute("alter table konduit_chore_away rename to konduit_chore");
        }
        assertThat(vital.passes).hasValue(0);
    }

    @Test
    @Tag("L10")
    void aPassFromBeforeTheClockWasPutBackDoesNotCount() {
        leader().tick(vital);
        lastPassWas(vital, Duration.ofMinutes(-10));
        follower().tick(vital);
        assertThat(vital.passes).hasValue(2);
    }

    @Test
    @Tag("L10")
    void everyInstanceRunsTheVitalChoreWhileTheStoreIsAwayAndNobodyTheOthers() {
        for (int i = 0; i < 3; i++) {
            LeaderOnlyScheduler instance = withoutStore();
            instance.tick(vital);
            instance.tick(housekeeping);
        }
        assertThat(vital.passes).hasValue(3);
        assertThat(housekeeping.passes).hasValue(0);
    }

    @Test
    @Tag("L10")
    @Tag("X17")
    void orphansComeBackWhileTheTableOfTheLockIsMissing() {
        QueueFixture recovery = new QueueFixture(harness.database());
        List<LeaderOnlyScheduler> all =
                Stream.generate(() -> instance()).limit(3).toList();
        harness.testDatabase().execute("alter table konduit_shedlock rename to konduit_shedlock_away");
        try {
            all.forEach(LeaderOnlyScheduler::renew);
            assertThat(all).extracting(LeaderOnlyScheduler::state).containsOnly(STORE_UNAVAILABLE);
            recovery.insertRunning(200, UUID.randomUUID(), 5_000);
            all.parallelStream().forEach(instance -> instance.tick(new ReaperChore(recovery.reclaimer(), INTERVAL)));
        } finally {
            harness.testDatabase().execute("alter table konduit_shedlock_away rename to konduit_shedlock");
        }
        assertEachReclaimedOnce(recovery, 200);
    }

    @Test
    @Tag("E5")
    @Tag("L9")
    void twoLeadersAtOnceDoNoHarm() {
        QueueFixture recovery = new QueueFixture(harness.database());
        recovery.insertRunning(2_000, UUID.randomUUID(), 5_000);
        List<LeaderOnlyScheduler> leaders = List.of(leader(), leader());
        leaders.parallelStream()
                .forEach(leader -> leader.tick(
                        new ReaperChore(recovery.reclaimer(QueueFixture.policy(Duration.ZERO, 100)), INTERVAL)));
        leaders.forEach(leader -> leader.tick(new ReaperChore(recovery.reclaimer(), INTERVAL)));
        assertEachReclaimedOnce(recovery, 2_000);
    }

    @Test
    @Tag("E5")
    void anExLeaderThatFinishesItsPassLateDoesNoHarm() throws InterruptedException {
        QueueFixture recovery = new QueueFixture(harness.database());
        recovery.orphan(recovery.newWorker());
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        vital.pass = () -> {
            begun.countDown();
            awaitQuietly(mayGoOn);
            recovery.reclaimer().reclaimOnce();
        };
        LeaderOnlyScheduler exLeader = leader();
        Thread pass = new Thread(() -> exLeader.tick(vital));
        pass.start();
        begun.await();
        leader().tick(new ReaperChore(recovery.reclaimer(), INTERVAL));
        mayGoOn.countDown();
        pass.join();
        assertEachReclaimedOnce(recovery, 1);
    }

    @Test
    @Tag("L4")
    void aChoreThatThrowsIsTriedAgainAndNotRecorded() {
        LeaderOnlyScheduler leader = leader();
        Runnable exception = () -> {
            throw new IllegalStateException("boom");
        };
        Runnable error = () -> {
            throw new NoClassDefFoundError("boom");
        };
        for (Runnable failure : List.of(exception, error)) {
            vital.pass = failure;
            try (CapturedLog log = CapturedLog.ofPackageOf(LeaderOnlyScheduler.class)) {
                assertThat(leader.tick(vital))
                        .isBetween(INTERVAL.multipliedBy(8).dividedBy(10), INTERVAL);
                assertThat(log.at(Level.WARN)).singleElement().asString().contains("'vital' failed", "boom");
            }
        }
        ChoreRepository passes = new ChoreRepository(harness.database());
        assertThat(passes.sinceLastPass("vital")).isEmpty();
        vital.pass = () -> {};
        leader.tick(vital);
        assertThat(vital.passes).hasValue(3);
        assertThat(passes.sinceLastPass("vital")).isPresent();
    }

    @Test
    void whileTheDatabaseIsAwayTheVitalChoreSaysSoAndOneOfTheOthers() {
        LeaderOnlyScheduler leader = leader();
        Runnable outage = () -> {
            throw new DataAccessResourceFailureException("connection refused");
        };
        vital.pass = outage;
        List<Chore> chores = List.of(
                vital,
                new PeriodicChore("first", INTERVAL, outage, false),
                new PeriodicChore("second", INTERVAL, outage, false));
        try (CapturedLog log = CapturedLog.ofPackageOf(LeaderOnlyScheduler.class)) {
            chores.forEach(leader::tick);
            chores.forEach(leader::tick);
            assertThat(log.at(Level.WARN))
                    .hasSize(2)
                    .satisfiesExactly(
                            first -> assertThat(first).startsWith("'vital' failed"),
                            second -> assertThat(second).startsWith("'first' failed"));
        }
    }

    @Test
    @Tag("L4")
    void aStepThatMeetsAnUnexpectedErrorIsRepeated() {
        AtomicBoolean broken = new AtomicBoolean(true);
        TestChore unlucky = new TestChore(true, INTERVAL) {
            @Override
            public Duration interval() {
                if (broken.getAndSet(false)) {
                    throw new NoClassDefFoundError("of the interval");
                }
                return super.interval();
            }
        };
        unlucky.pass = () -> {
            if (broken.get()) {
                throw new IllegalStateException("so that the interval is asked for");
            }
        };
        try (CapturedLog log = CapturedLog.ofPackageOf(LeaderOnlyScheduler.class)) {
            instance(unlucky).start();
            await().until(() -> unlucky.passes.get() >= 2);
            assertThat(log.at(Level.ERROR))
                    .containsExactly("A step of the leader's schedule failed unexpectedly and will be repeated");
        }
    }

    @Test
    @Tag("R1")
    void housekeepingRunsAgainAndAgainOnADaemonThreadThatEndsWithTheStop() {
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        AtomicInteger passes = new AtomicInteger();
        Chore often = new PeriodicChore(
                "often",
                Duration.ofMillis(20),
                () -> {
                    threads.add(Thread.currentThread());
                    passes.incrementAndGet();
                },
                false);
        vital.pass = () -> threads.add(Thread.currentThread());
        LeaderOnlyScheduler instance = instance(vital, often);
        instance.start();
        await().until(() -> passes.get() >= 3 && vital.passes.get() == 1);
        instance.stop();
        assertThat(threads)
                .hasSize(2)
                .allSatisfy(thread -> assertThat(thread.isDaemon()).isTrue())
                .anySatisfy(thread -> assertThat(thread.getName()).startsWith("konduit-leader-"))
                .anySatisfy(thread -> assertThat(thread.getName()).startsWith("konduit-chore-"));
        await().untilAsserted(() -> assertThat(threads).noneMatch(Thread::isAlive));
    }

    @Test
    @Tag("R1")
    @Tag("C4")
    void aNewLeaderGoesOnWhereTheLastOneWasInsteadOfStartingAnew() {
        leader().tick(housekeeping);
        LeaderOnlyScheduler second = leader();
        second.tick(housekeeping);
        assertThat(housekeeping.passes).as("not again so soon").hasValue(1);
        lastPassWas(housekeeping, LONG_INTERVAL);
        assertThat(second.tick(housekeeping))
                .as("it looks around often, as the pass may be due by somebody else's count")
                .isLessThanOrEqualTo(Duration.ofMinutes(1));
        assertThat(housekeeping.passes).hasValue(2);
    }

    @Test
    @Tag("L4")
    void aChoreThatIsNotRecordedRunsOnTheLeaderAloneAndLeavesNothingBehind() {
        AtomicInteger passes = new AtomicInteger();
        Chore unrecorded = new PeriodicChore("unrecorded", INTERVAL, passes::incrementAndGet, false);
        LeaderOnlyScheduler leader = leader();
        leader.tick(unrecorded);
        leader.tick(unrecorded);
        follower().tick(unrecorded);
        assertThat(passes).hasValue(2);
        assertThat(new ChoreRepository(harness.database()).sinceLastPass("unrecorded"))
                .isEmpty();
    }

    @Test
    @Tag("L6")
    void everyInstanceMakesAStartUpPassOfTheVitalChore() {
        List<TestChore> chores = Stream.generate(() -> new TestChore(true, Duration.ofHours(1)))
                .limit(3)
                .toList();
        for (TestChore chore : chores) {
            instance(chore, housekeeping).start();
        }
        await().untilAsserted(() ->
                assertThat(chores).allSatisfy(chore -> assertThat(chore.passes).hasValue(1)));
        assertThat(housekeeping.passes).as("others wait for their time").hasValue(0);
    }

    @Test
    @Tag("L6")
    void orphansFromBeforeTheStartAreFoundAtOnce() {
        QueueFixture recovery = new QueueFixture(harness.database());
        recovery.insertRunning(50, UUID.randomUUID(), 5_000);
        instance(new ReaperChore(recovery.reclaimer(), Duration.ofHours(1))).start();
        await().untilAsserted(
                        () -> assertThat(recovery.count("select count(*) from konduit_task where status = 'RUNNING'"))
                                .isZero());
        assertEachReclaimedOnce(recovery, 50);
    }

    @Test
    @Tag("E2")
    void aGracefulStopReleasesAtOnceAndTakesNoLockAfterwards() {
        LeaderOnlyScheduler first = instance(vital, housekeeping);
        LeaderOnlyScheduler second = instance();
        first.start();
        await().until(() -> first.state() == LEADER);
        long before = System.nanoTime();
        first.stop();
        assertThat(Duration.ofNanos(System.nanoTime() - before))
                .as("nothing that is only planned is waited for")
                .isLessThan(Duration.ofSeconds(4));
        assertThat(first.isRunning()).isFalse();
        second.renew();
        assertThat(second.state()).isEqualTo(LEADER);
        assertThat(first.state()).isEqualTo(NOT_LEADER);
        assertThat(harness.events())
                .hasExactlyElementsOfTypes(LeadershipAcquired.class, LeadershipLost.class, LeadershipAcquired.class);
    }

    @Test
    @Tag("E2")
    void aPassUnderWayMayEndBeforeTheStop() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        vital.pass = () -> {
            begun.countDown();
            try {
                if (!never.await(200, TimeUnit.MILLISECONDS)) {
                    ended.incrementAndGet();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        LeaderOnlyScheduler instance = instance(vital);
        instance.start();
        await().until(() -> begun.getCount() == 0);
        instance.stop();
        assertThat(ended).hasValue(1);
    }

    @Test
    @Tag("E1")
    void canBeStartedAgain() {
        LeaderOnlyScheduler instance = instance(vital);
        instance.start();
        instance.start();
        await().until(() -> instance.state() == LEADER && vital.passes.get() == 1);
        instance.stop();
        instance.stop();
        instance.start();
        await().until(() -> instance.state() == LEADER && vital.passes.get() == 2);
        assertThat(instance.isRunning()).isTrue();
    }

    @Test
    @Tag("L10")
    void theVitalChoreGoesOnWhileTheStoreDoesNotAnswer() {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        ScriptedLocks locks = new ScriptedLocks();
        locks.onLock = () -> {
            asked.countDown();
            awaitQuietly(answer);
            return false;
        };
        TestChore often = new TestChore(true, Duration.ofMillis(50));
        instance(UUID.randomUUID(), locks, often).start();
        await().until(() -> asked.getCount() == 0);
        await().until(() -> often.passes.get() >= 3);
        answer.countDown();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void assertEachReclaimedOnce(QueueFixture recovery, int tasks) {
        assertThat(recovery.count("select count(*) from konduit_task where status = 'PENDING' and zombie_count = 1"))
                .isEqualTo(tasks);
        assertThat(recovery.count("select count(*) from konduit_task_incident")).isEqualTo(tasks);
        assertThat(recovery.count("select count(distinct task_id) from konduit_task_incident"))
                .isEqualTo(tasks);
    }

    /** Lets the last recorded pass be this long ago. */
    private static void lastPassWas(Chore chore, Duration ago) {
        assertThat(harness.jdbc()
                        .sql("update konduit_chore set last_pass_at = clock_timestamp() - :ms * interval '1 ms'"
                                + " where name = :name")
                        .param("ms", ago.toMillis())
                        .param("name", chore.name())
                        .update())
                .isEqualTo(1);
    }
}
