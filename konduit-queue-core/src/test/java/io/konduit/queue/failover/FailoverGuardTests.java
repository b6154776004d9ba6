package io.konduit.queue.failover;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.konduit.queue.FaultyDataSource;
import io.konduit.queue.LogCapture;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.event.DatabaseWentBack;
import io.konduit.queue.operations.DatabaseQueueAdministration;
import io.konduit.queue.publish.QueueEvents;
import io.konduit.queue.review.PauseRepository;
import io.konduit.queue.store.FailoverRepository;
import io.konduit.queue.store.ServerTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What an instance concludes from the answers of a database, without a failover: those are in {@link FailoverTests}. */
@Tag("X27")
class FailoverGuardTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration MEMORY = Duration.ofMinutes(10);

    private static FaultyDataSource source;
    private static FailoverRepository store;

    private final List<Object> events = new ArrayList<>();
    private final List<Integer> monitored = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 1_000_000_000L; // overflows on the way
    private final AcknowledgedTasks acknowledged = new AcknowledgedTasks(() -> nanos);
    private final FailoverGuard guard = guard(List.of());

    @BeforeAll
    static void open() {
        source = new FaultyDataSource(harness.testDatabase().dataSource());
        store = new FailoverRepository(QueueFixture.databaseOn(source));
    }

    @AfterEach
    void emptyPauses() {
        harness.testDatabase().execute("truncate konduit_queue, konduit_queue_audit");
    }

    @Test
    void asksNothingWhileTheTimelineAndTheServerAreTheSame() {
        guard.observed(beat(1, 1));
        acknowledged.add(TaskId.of(42));
        source.forget();
        guard.observed(beat(1, 2));
        guard.observed(beat(1, 3));
        assertThat(source.statements()).isEmpty();
        assertThat(guard.lastLoss()).isNull();
    }

    @Test
    void aFailoverThatLostNothingIsOnlyMentioned() {
        acknowledged.add(harness.queue().enqueue("mail", null));
        guard.observed(beat(1, 7));
        try (LogCapture log = LogCapture.open()) {
            guard.observed(beat(2, 8));
            assertThat(log.messages(Level.INFO)).anyMatch(line -> line.contains("from timeline 1 to 2"));
            assertThat(log.messages(Level.ERROR)).isEmpty();
        }
        assertThat(events).isEmpty();
        assertThat(monitored).isEmpty();
        assertThat(guard.lastLoss()).isNull();
    }

    @Test
    void namesTheTasksThatAreGoneAndSaysHowFarBackItWent() {
        guard.observed(beat(1, 1));
        TaskId older = harness.queue().enqueue("mail", null);
        acknowledged.add(older);
        after(Duration.ofSeconds(1));
        acknowledged.addAll(List.of(TaskId.of(900_001), TaskId.of(900_002)));
        after(Duration.ofSeconds(3));
        TaskId completed = harness.queue().enqueue("mail", null);
        harness.queue().cancel(completed);
        acknowledged.add(completed);
        try (LogCapture log = LogCapture.open()) {
            guard.observed(beat(2, 2));
            assertThat(log.messages(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains(
                            "from timeline 1 to 2",
                            "at least the last 3s",
                            "2 are gone: [900001, 900002]",
                            "After a failover");
        }
        DatabaseWentBack expected = new DatabaseWentBack(
                beat(2, 2).time(),
                1,
                2,
                Duration.ofSeconds(3),
                2,
                List.of(TaskId.of(900_001), TaskId.of(900_002)),
                List.of());
        assertThat(events).containsExactly(expected);
        assertThat(monitored).containsExactly(2);
        assertThat(guard.lastLoss()).isEqualTo(expected);
    }

    @Test
    void aBeatThatTheDatabaseHasForgottenIsALossToo() {
        guard.observed(beat(1, 5));
        after(Duration.ofSeconds(10));
        guard.observed(beat(1, 6));
        after(Duration.ofSeconds(10));
        guard.observed(beat(1, 7));
        after(Duration.ofSeconds(4));
        guard.observed(beat(2, 6));
        assertThat(guard.lastLoss()).isNotNull();
        assertThat(guard.lastLoss().atLeast())
                .as("beat 6 was acknowledged then")
                .isEqualTo(Duration.ofSeconds(14));
        assertThat(guard.lastLoss().lostTasks()).isZero();
    }

    @Test
    void aCrashOfTheSameServerCanLoseCommitsAsWell() {
        guard.observed(beat(1, 1));
        acknowledged.add(TaskId.of(900_003));
        ServerTime restarted = new ServerTime(START.plusSeconds(60), START.plusSeconds(50), 1, 2L);
        guard.observed(restarted);
        assertThat(guard.lastLoss()).isNotNull();
        assertThat(guard.lastLoss().newTimeline()).isEqualTo(guard.lastLoss().oldTimeline());
    }

    @Test
    void aRowOfTheRegistryThatSomebodyRemovedIsNoLoss() {
        guard.observed(beat(1, 50));
        guard.observed(beat(1, 1));
        assertThat(guard.lastLoss()).isNull();
    }

    @Test
    void oneLossIsToldOnce() {
        guard.observed(beat(1, 1));
        acknowledged.add(TaskId.of(900_004));
        guard.observed(beat(2, 2));
        guard.observed(beat(2, 3));
        guard.observed(beat(3, 4));
        assertThat(events).hasSize(1);
    }

    @Test
    void aDatabaseThatFailsAgainIsAskedLater() {
        guard.observed(beat(1, 1));
        acknowledged.add(TaskId.of(900_005));
        source.breakStatements(sql -> sql.contains("konduit_tasks"));
        guard.observed(beat(2, 2));
        assertThat(events).isEmpty();
        source.heal();
        guard.observed(beat(2, 3));
        assertThat(events).hasSize(1);
    }

    @Test
    void aLossIsNoticedAlsoWhenTheServerRestartsBeforeItCouldBeAsked() {
        guard.observed(beat(1, 6));
        after(Duration.ofSeconds(10));
        guard.observed(beat(1, 7));
        acknowledged.add(TaskId.of(900_010));
        after(Duration.ofSeconds(5));
        source.breakStatements(sql -> sql.contains("konduit_tasks"));
        guard.observed(beat(2, 7));
        source.heal();
        after(MEMORY);
        guard.observed(startedAfter(50, 3, 8));
        assertThat(events).hasSize(1);
        assertThat(guard.lastLoss().oldTimeline()).isEqualTo(1);
        assertThat(guard.lastLoss().newTimeline()).isEqualTo(3);
        assertThat(guard.lastLoss().lostTaskIds()).containsExactly(TaskId.of(900_010));
        assertThat(guard.lastLoss().atLeast())
                .as("beat 7, when the first failover was noticed")
                .isEqualTo(Duration.ofSeconds(5));
        guard.observed(startedAfter(50, 3, 9));
        assertThat(events).as("told once").hasSize(1);
    }

    @Test
    void aChangeDuringACheckDoesNotTellTheSameLossAgain() {
        List<Runnable> checks = new ArrayList<>();
        FailoverGuard slow = new FailoverGuard(
                store,
                acknowledged,
                new FailoverSettings(true, MEMORY, List::of, checks::add),
                new FailoverEvents(new QueueEvents(events::add), monitored::add),
                () -> nanos);
        slow.observed(beat(1, 1));
        acknowledged.add(TaskId.of(900_011));
        slow.observed(beat(2, 2));
        acknowledged.add(TaskId.of(900_012));
        slow.observed(beat(3, 3));
        checks.remove(0).run();
        slow.observed(beat(3, 4));
        checks.remove(0).run();
        assertThat(events)
                .extracting(loss -> ((DatabaseWentBack) loss).lostTaskIds())
                .containsExactly(List.of(TaskId.of(900_011)), List.of(TaskId.of(900_012)));
        slow.observed(beat(3, 5));
        assertThat(checks).isEmpty();
    }

    @Test
    void aRestartDoesNotForgetWhatALaterFailoverMayLose() {
        guard.observed(beat(1, 1));
        TaskId task = harness.queue().enqueue("mail", null);
        acknowledged.add(task);
        acknowledged.add(TaskId.of(900_013));
        guard.observed(startedAfter(50, 1, 2));
        assertThat(guard.lastLoss().lostTaskIds()).containsExactly(TaskId.of(900_013));
        harness.testDatabase().execute("truncate konduit_task");
        guard.observed(startedAfter(90, 2, 3));
        assertThat(guard.lastLoss().lostTaskIds()).containsExactly(task);
    }

    @Test
    void aTaskThatWasRolledBackToASavepointIsNotLost() {
        TaskQueue queue = remembering();
        TransactionTemplate nested = harness.transaction();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        guard.observed(beat(1, 1));
        harness.transaction().executeWithoutResult(outer -> {
            queue.enqueue("mail", null);
            nested.executeWithoutResult(inner -> {
                queue.enqueue("mail", null);
                inner.setRollbackOnly();
            });
        });
        guard.observed(beat(2, 2));
        assertThat(guard.lastLoss()).isNull();
        assertThat(remembered()).hasSize(1);
    }

    @Test
    void looksForRecentTasksOnly() {
        guard.observed(beat(1, 1));
        acknowledged.add(TaskId.of(900_006));
        after(MEMORY.plusSeconds(1));
        guard.observed(beat(2, 2));
        assertThat(guard.lastLoss()).as("retention may have removed it").isNull();
    }

    @Test
    void remembersWhatWasCommittedAndNothingElse() {
        TaskQueue queue = remembering();
        List<TaskRequest> two = List.of(TaskRequest.of("mail", 1), TaskRequest.of("mail", 2));
        harness.transaction().executeWithoutResult(status -> {
            queue.enqueue("mail", null);
            queue.enqueueAll(two);
            status.setRollbackOnly();
        });
        assertThat(remembered()).isEmpty();
        List<TaskId> committed = new ArrayList<>();
        harness.transaction().executeWithoutResult(status -> {
            committed.add(queue.enqueue("mail", null));
            committed.addAll(queue.enqueueAll(two));
            assertThat(remembered()).isEmpty();
        });
        assertThat(remembered()).containsExactlyElementsOf(committed);
        TaskId alone = queue.enqueue(TaskRequest.of("mail", null).uniqueKey("once"));
        List<TaskId> bulk = queue.enqueueAll(two);
        queue.enqueue(TaskRequest.of("mail", null).uniqueKey("once"));
        assertThat(remembered()).containsExactly(alone, bulk.get(0), bulk.get(1));
    }

    private TaskQueue remembering() {
        return harness.engine()
                .replace(AcknowledgedTasks.class, () -> acknowledged)
                .build()
                .taskQueue();
    }

    private Set<TaskId> remembered() {
        Set<TaskId> found = acknowledged.since(nanos).keySet();
        acknowledged.forget(found);
        return found;
    }

    @Test
    void remembersTheLastTenThousand() {
        guard.observed(beat(1, 1));
        acknowledged.addAll(LongStream.rangeClosed(1, AcknowledgedTasks.CAPACITY + 5)
                .mapToObj(i -> TaskId.of(900_000 + i))
                .toList());
        guard.observed(beat(2, 2));
        assertThat(guard.lastLoss()).isNotNull();
        assertThat(guard.lastLoss().lostTasks()).isEqualTo(AcknowledgedTasks.CAPACITY);
        assertThat(guard.lastLoss().lostTaskIds()).hasSize(100).startsWith(TaskId.of(900_006));
    }

    @Test
    void pausesTheQueuesOnceHoweverManyInstancesNotice() {
        FailoverGuard first = guard(List.of("default", "mail"));
        FailoverGuard second = guard(List.of("default"));
        lose(first);
        assertThat(pauses()).containsExactlyInAnyOrder("default", "mail");
        assertThat(first.lastLoss().pausedQueues()).containsExactly("default", "mail");
        new DatabaseQueueAdministration(new PauseRepository(harness.database()), queues -> {})
                .resume("default", "ada", null);
        lose(second);
        assertThat(pauses()).as("a person has resumed the other").containsExactly("mail");
        assertThat(second.lastLoss().pausedQueues()).isEmpty();
    }

    @Test
    void anInstanceThatNoticesAFailoverAfterAnotherRestartDoesNotPauseAgain() {
        lose(guard(List.of("default")));
        new DatabaseQueueAdministration(new PauseRepository(harness.database()), queues -> {})
                .resume("default", "ada", null);
        FailoverGuard late = guard(List.of("default"));
        late.observed(beat(1, 1));
        acknowledged.add(TaskId.of(900_016));
        late.observed(startedAfter(50, 2, 2));
        assertThat(late.lastLoss()).isNotNull();
        assertThat(pauses()).as("a person has resumed it").isEmpty();
    }

    @Test
    void aSecondLossOnTheSameTimelinePausesAgain() {
        FailoverGuard pausing = guard(List.of("default"));
        pausing.observed(beat(1, 1));
        acknowledged.add(TaskId.of(900_014));
        pausing.observed(startedAfter(50, 1, 2));
        assertThat(pauses()).containsExactly("default");
        new DatabaseQueueAdministration(new PauseRepository(harness.database()), queues -> {})
                .resume("default", "ada", null);
        acknowledged.add(TaskId.of(900_015));
        pausing.observed(startedAfter(100, 1, 3));
        assertThat(events).hasSize(2);
        assertThat(pauses()).containsExactly("default");
    }

    @Test
    void aCrashPausesOnceHoweverManyInstancesNotice() {
        for (FailoverGuard instance : List.of(guard(List.of("default")), guard(List.of("default")))) {
            instance.observed(beat(1, 1));
            acknowledged.add(TaskId.of(900_017));
            instance.observed(startedAfter(50, 1, 2));
            assertThat(instance.lastLoss()).isNotNull();
            harness.testDatabase().execute("delete from konduit_queue"); // as if a person had resumed it
        }
        assertThat(events)
                .extracting(loss -> ((DatabaseWentBack) loss).pausedQueues())
                .containsExactly(List.of("default"), List.of());
    }

    @Test
    void pausesNothingWhenNothingWasLost() {
        FailoverGuard pausing = guard(List.of("default"));
        pausing.observed(beat(1, 1));
        pausing.observed(beat(2, 2));
        assertThat(pauses()).isEmpty();
    }

    @Test
    void anInstanceWithoutWorkerAsksOnlyWhileItHasEnqueuedSomething() {
        FailoverSettings producer = new FailoverSettings(false, MEMORY, List::of, Runnable::run);
        FailoverGuard silent = guard(producer);
        FailoverWatch watch = new FailoverWatch(store, silent, Duration.ofSeconds(10), () -> nanos);
        assertThat(watch.lookOnce()).as("to know where it began").isTrue();
        assertThat(watch.lookOnce()).isFalse();
        acknowledged.add(TaskId.of(900_007));
        assertThat(watch.lookOnce()).isTrue();
        assertThat(silent.lastLoss()).as("the timeline is the same").isNull();
        harness.testDatabase().execute(timeline(2));
        try {
            assertThat(watch.lookOnce()).isTrue();
            assertThat(silent.lastLoss()).isNotNull();
        } finally {
            harness.testDatabase().execute(timeline(1));
        }
        after(MEMORY.plusSeconds(1));
        assertThat(watch.lookOnce()).isFalse();
    }

    /** As if the server were on this timeline. */
    private static String timeline(int number) {
        return "create or replace function konduit_timeline() returns bigint language plpgsql stable as $$ begin return "
                + number + "; end $$";
    }

    private void lose(FailoverGuard guard) {
        guard.observed(beat(1, 1));
        acknowledged.add(TaskId.of(900_008));
        guard.observed(beat(2, 2));
    }

    private void after(Duration time) {
        nanos += time.toNanos();
    }

    private static ServerTime beat(long timeline, long beats) {
        return new ServerTime(START.plusSeconds(100 * beats), START, timeline, beats);
    }

    private static ServerTime startedAfter(long seconds, long timeline, long beats) {
        return new ServerTime(START.plusSeconds(100 * beats), START.plusSeconds(seconds), timeline, beats);
    }

    private FailoverGuard guard(List<String> queuesToPause) {
        return guard(new FailoverSettings(true, MEMORY, () -> queuesToPause, Runnable::run));
    }

    private FailoverGuard guard(FailoverSettings settings) {
        return new FailoverGuard(
                store,
                acknowledged,
                settings,
                new FailoverEvents(new QueueEvents(events::add), monitored::add),
                () -> nanos);
    }

    private static List<String> pauses() {
        return harness.jdbc()
                .sql("select name from konduit_queue")
                .query(String.class)
                .list();
    }
}
