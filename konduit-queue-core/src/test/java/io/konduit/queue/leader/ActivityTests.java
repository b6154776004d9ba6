package io.konduit.queue.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.failover.Activity;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.recovery.WitnessChore;
import io.konduit.queue.recovery.WitnessWatch;
import io.konduit.queue.settings.LeaderSettings;
import io.konduit.queue.store.ChoreRepository;
import io.konduit.queue.store.ClaimRequest;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.LeaderLocks;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.NotificationChannel.Subscription;
import io.konduit.queue.store.WitnessRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.thread.Jitter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** K2: while no task runs, nobody looks for crashes every two seconds. As soon as one runs, everybody does. */
@Tag("K2")
class ActivityTests {
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final ControlMessage BUSY = new ControlMessage(ControlMessage.Kind.BUSY, "");

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    /** Overflows within the tests, as it may on any machine. */
    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();

    private final AtomicBoolean listening = new AtomicBoolean(true);
    private final Activity activity = new Activity(() -> nanos);
    private CountedQueue counted;

    @BeforeEach
    void count() {
        counted = new CountedQueue(harness.testDatabase());
        activity.hearsWhile(listening::get);
    }

    @AfterEach
    void close() {
        counted.close();
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    @Test
    void isQuietAfterAWhileWithoutASignAndOnlyWhileItHearsTheOthers() {
        assertThat(activity.isQuiet()).as("it has just begun to listen").isFalse();
        pass(Activity.LASTING.minusNanos(1));
        assertThat(activity.isQuiet()).isFalse();
        pass(Duration.ofNanos(1));
        assertThat(activity.isQuiet()).isTrue();
        listening.set(false);
        assertThat(activity.isQuiet()).isFalse();
        listening.set(true);
        activity.busy();
        assertThat(activity.isQuiet()).isFalse();
        assertThat(new Activity(() -> nanos).isQuiet()).as("without a worker").isFalse();
    }

    /** What was announced counts for longer than the announcing worker stays silent. */
    @Test
    void aWorkerAnnouncesAgainBeforeTheOthersForget() {
        assertThat(activity.mustAnnounce()).isTrue();
        activity.announced(nanos);
        assertThat(activity.mustAnnounce()).isFalse();
        pass(Activity.AGAIN);
        assertThat(activity.mustAnnounce()).isTrue();
        assertThat(Activity.AGAIN.multipliedBy(2)).isLessThanOrEqualTo(Activity.LASTING);
    }

    private static ClaimRequest request(boolean announce) {
        return new ClaimRequest(
                QueueHarness.probes("default"),
                10,
                Duration.ofMinutes(5),
                3,
                List.of(),
                List.of("mail"),
                Long.MAX_VALUE,
                List.of(),
                announce);
    }

    /** In its own transaction: no crash can come between the lease and its announcement. */
    @Test
    void aClaimTellsTheOthersInItsOwnTransactionAndOnlyIfItTookATask() {
        LeaseRepository leases = harness.newWorker();
        try (Subscription others = new NotificationChannel(harness.database()).subscribe()) {
            assertThat(leases.claim(request(true)).tasks()).isEmpty();
            harness.silentQueue().enqueue("mail", null);
            assertThat(leases.claim(request(false)).tasks()).hasSize(1);
            assertThat(others.await(Duration.ofMillis(300)).messages()).isEmpty();

            harness.silentQueue().enqueue("mail", 1);
            harness.silentQueue().enqueue("mail", 2);
            assertThat(counted.statementsOf(() -> assertThat(new LeaseRepository(counted.database(), UUID.randomUUID())
                                    .claim(request(true))
                                    .tasks())
                            .hasSize(2)))
                    .as("the claim is the only statement")
                    .hasSize(1);
            assertThat(others.await(Duration.ofSeconds(10)).messages()).containsExactly(BUSY);
        }
    }

    @Test
    void aSessionThatBecomesAWitnessTellsTheOthersToo() {
        UUID worker = UUID.randomUUID();
        register(worker);
        try (Subscription others = new NotificationChannel(harness.database()).subscribe();
                Subscription its = new NotificationChannel(harness.database()).subscribe()) {
            assertThat(its.takeWitness(worker, GRACE, 1, GRACE)).isTrue();
            assertThat(others.await(Duration.ofSeconds(10)).messages()).containsExactly(BUSY);
        }
    }

    private static void register(UUID worker) {
        new WorkerRepository(harness.database())
                .beat(new WorkerRepository.Registration(worker, "w", "localhost", 1, "1", null, List.of(), 1));
    }

    @Test
    @Tag("K1")
    void theLeaderLooksRarelyWhileNothingRunsAndAtOnceWhenSomethingMay() {
        WitnessRepository witnesses = new WitnessRepository(counted.database());
        WitnessChore chore = new WitnessChore(
                new WitnessWatch(
                        witnesses,
                        harness.reclaimer(),
                        new OutageGuard(Duration.ZERO, System::nanoTime),
                        new WitnessWatch.Terms(10, "test"),
                        System::nanoTime),
                GRACE,
                activity,
                () -> nanos);
        assertThat(looks(chore)).as("the first").isEqualTo(1);
        pass(Duration.ofSeconds(2));
        assertThat(looks(chore)).as("not quiet yet").isEqualTo(1);
        pass(Activity.LASTING);
        assertThat(looks(chore)).isZero();
        assertThat(chore.run()).as("it asks itself as often as before").isEqualTo(Duration.ofSeconds(2));
        pass(Duration.ofSeconds(10));
        assertThat(looks(chore)).as("30 s after the last one").isEqualTo(1);
        activity.busy();
        assertThat(looks(chore)).isEqualTo(1);
        pass(Activity.LASTING);
        listening.set(false);
        assertThat(looks(chore)).as("it may have missed an announcement").isEqualTo(1);
        listening.set(true);

        UUID worker = UUID.randomUUID();
        register(worker);
        try (Subscription its = new NotificationChannel(harness.database()).subscribe()) {
            its.takeWitness(worker, GRACE, 1, GRACE);
            harness.silentQueue().enqueue("mail", null);
            ClaimedTask task = harness.claimOne(new LeaseRepository(harness.database(), worker));
            for (int i = 0; i < 30; i++) {
                activity.busy();
                looks(chore);
                pass(Activity.LASTING.minusSeconds(1));
                assertThat(looks(chore)).as("while %s runs", task).isEqualTo(1);
            }
        }
    }

    private long looks(WitnessChore chore) {
        return counted.statementsOf(chore::run).stream()
                .filter(sql -> sql.contains("which witnesses are gone"))
                .count();
    }

    @Test
    @Tag("E1")
    void aFollowerLooksRarelyWhileNothingRunsAndAsOftenAsBeforeWhenSomethingMay() {
        UUID id = UUID.randomUUID();
        LeaderOnlyScheduler follower = instance(id, LeaderLocks.create(counted.database(), id, activity::busy));
        harness.testDatabase()
                .execute("insert into konduit_shedlock (name, lock_until, locked_at, locked_by) values ('"
                        + LeaderOnlyScheduler.LOCK_NAME
                        + "', timezone('utc', statement_timestamp()) + interval '1 hour',"
                        + " timezone('utc', statement_timestamp()), 'another')");
        assertThat(asks(follower)).isEqualTo(1);
        pass(Activity.LASTING);
        assertThat(asks(follower))
                .as("more than a renewal interval after the last")
                .isEqualTo(1);
        pass(Duration.ofSeconds(5));
        assertThat(asks(follower)).isZero();
        pass(Duration.ofSeconds(5));
        assertThat(asks(follower)).isEqualTo(1);
        activity.busy();
        assertThat(asks(follower)).isEqualTo(1);
        pass(Activity.LASTING);
        harness.silentQueue().enqueue("mail", null);
        harness.claimOne(harness.newWorker());
        assertThat(asks(follower)).isEqualTo(1);
        assertThat(activity.isQuiet()).as("its look has shown that a task runs").isFalse();
        pass(Duration.ofSeconds(3));
        assertThat(asks(follower)).isEqualTo(1);
    }

    /** Without a witness only its lock shows that a leader is lost. */
    @Test
    @Tag("E2")
    void aFollowerLooksOftenWhenTheLeaderHasNotRenewedItsLockInTime() {
        UUID id = UUID.randomUUID();
        LeaderOnlyScheduler follower = instance(id, LeaderLocks.create(counted.database(), id, activity::busy));
        for (int left : new int[] {25, 15}) {
            harness.testDatabase()
                    .execute(
                            "delete from konduit_shedlock",
                            "insert into konduit_shedlock (name, lock_until, locked_at, locked_by) values ('"
                                    + LeaderOnlyScheduler.LOCK_NAME
                                    + "', timezone('utc', statement_timestamp()) + interval '" + left + " seconds',"
                                    + " timezone('utc', statement_timestamp()), 'another')");
            pass(Activity.LASTING);
            assertThat(asks(follower)).isEqualTo(1);
            assertThat(activity.isQuiet()).as("%s s are left", left).isEqualTo(left == 25);
        }
    }

    private long asks(LeaderOnlyScheduler follower) {
        return counted.statementsOf(follower::renew).size();
    }

    private LeaderOnlyScheduler instance(UUID worker, LockProvider locks) {
        return new LeaderOnlyScheduler(
                new Leadership(locks, LeaderSettings.defaults(), worker, new QueueEvents(event -> {}), () -> nanos),
                new ChoreRepository(harness.database()),
                List.of(),
                () -> nanos,
                Jitter.random(),
                activity::isQuiet);
    }

    @Test
    void messagesSurviveTheirWay() {
        Duration delay = Duration.ofMillis(1_500);
        try (Subscription others = new NotificationChannel(harness.database()).subscribe()) {
            new NotificationChannel(harness.database())
                    .sendControl(Set.of(BUSY, ControlMessage.later("a queue", delay)));
            Set<ControlMessage> heard = others.await(Duration.ofSeconds(10)).messages();
            assertThat(heard).contains(BUSY);
            assertThat(heard.stream().flatMap(message -> message.later().stream()))
                    .containsExactly(new ControlMessage.Later("a queue", delay));
        }
        for (String forged : List.of("", "x mail", "-1 mail", "99999999999999999999 mail")) {
            assertThat(new ControlMessage(ControlMessage.Kind.LATER, forged).later())
                    .isEmpty();
        }
    }
}
