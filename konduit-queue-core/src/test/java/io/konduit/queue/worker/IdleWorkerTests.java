package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.RetryPolicy;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TestSettings;
import io.konduit.queue.With;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.operations.DatabaseQueueAdministration;
import io.konduit.queue.review.PauseRepository;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.ClaimedTask;
import io.konduit.queue.store.FailoverRepository;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A worker that sleeps until something happens. With an hour between polls, whatever runs was announced, or expected at its
 * time. What happens elsewhere reaches it only through the database.
 */
@Timeout(120)
class IdleWorkerTests {
    private static final UnaryOperator<WorkerSettings> SLEEPY =
            With.all(With.pollInterval(Duration.ofHours(1)), With.listening());
    private static final Pattern ADDRESS = Pattern.compile("//([^:/]+):(\\d+)/");

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final Handlers handlers = new Handlers();
    private final AtomicBoolean fails = new AtomicBoolean();
    /** An instance that runs no tasks itself. */
    private QueueEngine elsewhere;

    class Handlers {
        final List<Long> runs = new CopyOnWriteArrayList<>();

        @JobHandler("note")
        void note(TaskContext task) {
            runs.add(task.id().value());
            if (fails.getAndSet(false)) {
                throw new IllegalStateException("once");
            }
        }

        @JobHandler(value = "report", queue = "reports")
        void report(TaskContext task) {
            runs.add(task.id().value());
        }
    }

    @BeforeEach
    void startElsewhere() {
        elsewhere = QueueEngine.builder(harness.database(), TestSettings.defaults(), QueueFixture.registry(handlers))
                .build();
        elsewhere.notifier().start();
    }

    @AfterEach
    void stopElsewhere() {
        elsewhere.notifier().stop();
        harness.testDatabase().execute("delete from konduit_queue");
    }

    private WorkerLifecycle startSleepy() {
        WorkerLifecycle worker = harness.startWorker(SLEEPY, handlers);
        await().until(() -> !harness.testDatabase().listeners().isEmpty());
        awaitIdle();
        return worker;
    }

    /** Until it has found nothing and sleeps. */
    private static void awaitIdle() {
        await().until(() -> Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(thread -> thread.getKey().getName().startsWith("konduit-poll-")
                        && Stream.of(thread.getValue())
                                .anyMatch(frame -> frame.getMethodName().equals("awaitDue"))));
    }

    private static void awaitCompleted(TaskId id) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
    }

    private static TaskRequest soon() {
        return TaskRequest.of("note", null).delay(Duration.ofMillis(700));
    }

    @Test
    void aDelayedTaskThatIsEnqueuedElsewhereStartsWhenItIsDue() {
        startSleepy();
        awaitCompleted(elsewhere.taskQueue().enqueue(soon()));
        awaitCompleted(elsewhere
                .taskQueue()
                .enqueue(TaskRequest.of("note", null).runAt(Instant.now().plusMillis(500))));
    }

    @Test
    void anInstanceThatKnowsTheClockOfTheDatabaseAnnouncesAStartAtAnInstant() {
        startSleepy();
        long sent = System.nanoTime();
        elsewhere.outageGuard().observed(new FailoverRepository(harness.database()).serverTime(), sent);
        awaitCompleted(elsewhere
                .taskQueue()
                .enqueue(TaskRequest.of("note", null).runAt(Instant.now().plusMillis(500))));
    }

    @Test
    void aTaskThatIsDueEarlierThanTheExpectedOneStartsFirst() {
        startSleepy();
        TaskId later =
                elsewhere.taskQueue().enqueue(TaskRequest.of("note", null).delay(Duration.ofSeconds(4)));
        TaskId sooner = elsewhere.taskQueue().enqueue(soon());
        awaitCompleted(sooner);
        assertThat(harness.status(later)).isEqualTo("PENDING");
        awaitCompleted(later);
        assertThat(handlers.runs).containsExactly(sooner.value(), later.value());
    }

    /** The second is not announced: it is due after the first, and whoever looks for that asks for the next. */
    @Test
    void tasksThatAreDueOneAfterAnotherAllStart() {
        startSleepy();
        TaskId first = elsewhere.taskQueue().enqueue(soon());
        TaskId second =
                elsewhere.taskQueue().enqueue(TaskRequest.of("note", null).delay(Duration.ofMillis(1_500)));
        TaskId third =
                elsewhere.taskQueue().enqueue(TaskRequest.of("note", null).delay(Duration.ofMillis(2_200)));
        awaitCompleted(first);
        awaitCompleted(second);
        awaitCompleted(third);
    }

    @Test
    void aTaskThatWasAlreadyWaitingWhenTheWorkerStartedStartsWhenItIsDue() {
        TaskId id = harness.silentQueue().enqueue(soon());
        startSleepy();
        awaitCompleted(id);
    }

    @Test
    void aTransactionThatCommitsLongAfterItsTasksGotTheirIds() {
        startSleepy();
        TaskQueue queue = elsewhere.taskQueue();
        List<TaskId> ids = harness.transaction().execute(status -> {
            TaskId due = queue.enqueue("note", null);
            TaskId soon = queue.enqueue(soon());
            // others come and go meanwhile
            TaskId other = harness.silentQueue().enqueue("note", null);
            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
            return List.of(due, soon, other);
        });
        awaitCompleted(ids.get(0));
        awaitCompleted(ids.get(1));
    }

    @Test
    void aRetryOfAWorkerThatClaimsNothingMore() {
        fails.set(true);
        // the first worker runs it and is told to drain; the second must hear of the retry
        WorkerLifecycle first =
                withNotifier(RetryPolicy.exponential(3, Duration.ofMillis(1_500), 1, Duration.ofMillis(1_500), 0));
        await().until(() -> !harness.testDatabase().listeners().isEmpty());
        TaskId id = elsewhere.taskQueue().enqueue("note", null);
        await().until(() ->
                harness.count("select count(*) from konduit_task where status = 'PENDING' and attempts = 1") == 1);
        first.drain().heard("test");
        startSleepy();
        awaitCompleted(id);
        first.stop();
    }

    /** A whole instance: what its worker puts back is announced. */
    private WorkerLifecycle withNotifier(RetryPolicy retries) {
        QueueEngine engine = QueueEngine.builder(
                        harness.database(), TestSettings.defaults().worker(SLEEPY), QueueFixture.registry(handlers))
                .retryPolicy(() -> retries)
                .build();
        engine.notifier().start();
        engine.worker().start();
        return engine.worker();
    }

    @Test
    void aRetryThatIsAnnouncedToAWorkerThatSleepsAlready() {
        startSleepy();
        TaskId id = harness.silentQueue().enqueue("note", null);
        ClaimedTask task = harness.claimOne(harness.newWorker());
        harness.testDatabase()
                .execute("update konduit_task set status = 'PENDING', locked_by = null, locked_at = null,"
                        + " lock_timeout_at = null, run_at = statement_timestamp() + interval '700 milliseconds' where id = "
                        + task.id());
        elsewhere.notifier().tasksDueIn("default", Duration.ofMillis(700));
        awaitCompleted(id);
    }

    @Test
    @Tag("L16")
    void aTaskThatTheReaperOfAnotherInstanceTakesBack() {
        startSleepy();
        TaskId id = harness.silentQueue().enqueue("note", null);
        harness.expire(harness.claimOne(harness.newWorker()), Duration.ofSeconds(1));
        assertThat(elsewhere.reclaimer().reclaimOnce().reclaimed()).isEqualTo(1);
        awaitCompleted(id);
    }

    @Test
    @Tag("T12")
    void aPersonResumesAQueueInATransaction() {
        startSleepy();
        DatabaseQueueAdministration queues = new DatabaseQueueAdministration(
                new PauseRepository(harness.database()),
                elsewhere.reclaimEvents().wakeUp());
        queues.pause("default", "ada", null);
        TaskId id = elsewhere.taskQueue().enqueue("note", null);
        awaitIdle();
        harness.transaction().executeWithoutResult(status -> {
            queues.resume("default", "ada", null);
            await().pollDelay(Duration.ofMillis(300)).until(() -> true);
        });
        awaitCompleted(id);
    }

    @Test
    void aQueueThatIsDeclaredLater() {
        startSleepy();
        TaskId id = elsewhere.taskQueue().enqueue(TaskRequest.of("report", null).queue("reports"));
        awaitCompleted(id);
        harness.stopWorkers();
        TaskId waiting =
                elsewhere.taskQueue().enqueue(TaskRequest.of("report", null).queue("later"));
        harness.startWorker(With.all(SLEEPY, With.queues("later")), handlers);
        awaitCompleted(waiting);
    }

    /** A session over which nothing comes any more, and nobody has noticed. */
    @Test
    void pollingGoesOnWhileTheListeningSessionIsHalfOpen() throws Exception {
        Matcher address = ADDRESS.matcher(harness.testDatabase().jdbcUrl());
        assertThat(address.find()).isTrue();
        try (SilentNetwork network = new SilentNetwork(address.group(1), Integer.parseInt(address.group(2)));
                HikariDataSource listening = harness.testDatabase().newPool(1);
                ControlPool pool = new ControlPool(harness.testDatabase().dataSource(), 2, Duration.ofSeconds(10))) {
            listening.setJdbcUrl(address.replaceFirst("//localhost:" + network.port() + "/"));
            try (ControlPool silent = new ControlPool(listening, 1, Duration.ofSeconds(5))) {
                QueueDatabase deaf = new QueueDatabase(listening, silent, null);
                QueueDatabase working = new QueueDatabase(harness.testDatabase().dataSource(), pool, null);
                QueueEngine engine = QueueEngine.builder(
                                working,
                                TestSettings.defaults().worker(With.pollInterval(Duration.ofMillis(200))),
                                QueueFixture.registry(handlers))
                        .replace(
                                io.konduit.queue.store.NotificationChannel.class,
                                () -> new io.konduit.queue.store.NotificationChannel(deaf))
                        .build();
                engine.worker().start();
                try {
                    await().until(() -> !harness.testDatabase().listeners().isEmpty());
                    network.silence();
                    TaskId id = harness.silentQueue().enqueue("note", null);
                    await().atMost(Duration.ofSeconds(40))
                            .untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
                } finally {
                    engine.worker().stop();
                }
            }
        }
    }

    /** Nobody announces when a row becomes free: what is due and cannot be taken keeps the worker looking. */
    @Test
    void aDueTaskWhoseRowIsLockedForAWhile() {
        harness.startWorker(With.all(With.pollInterval(Duration.ofMillis(200)), With.listening()), handlers);
        await().until(() -> !harness.testDatabase().listeners().isEmpty());
        TaskId id = harness.silentQueue().enqueue(TaskRequest.of("note", null).delay(Duration.ofSeconds(1)));
        harness.transaction().executeWithoutResult(status -> {
            harness.jdbc()
                    .sql("select id from konduit_task where id = :id for update")
                    .param("id", id.value())
                    .query(Long.class)
                    .single();
            await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
        });
        await().atMost(Duration.ofSeconds(3))
                .untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
    }

    @Test
    void looksBecomeRarerWhileNothingHappensAndAreFrequentAgainAfterATask() {
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            harness.startWorker(
                    counted.database(),
                    With.all(With.pollInterval(Duration.ofMillis(50)), With.listening()),
                    QueueHarness.quickRetries(),
                    handlers);
            // 0.05 + 0.1 + 0.2 + ... s: the eighth look is due after 6 s, where there would be 120
            await().until(() -> !harness.testDatabase().listeners().isEmpty());
            await().pollDelay(Duration.ofSeconds(4)).until(() -> true);
            assertThat(claims(counted)).isLessThan(15);
            counted.journal().clear();
            awaitCompleted(harness.queue(handlers).enqueue("note", null));
            await().until(() -> claims(counted) >= 4);
            harness.stopWorkers();
        }
    }

    /** As before: nothing is announced to it. */
    @Test
    void aWorkerThatDoesNotListenPollsAtItsInterval() {
        try (CountedQueue counted = new CountedQueue(harness.testDatabase())) {
            harness.startWorker(
                    counted.database(),
                    With.all(With.pollInterval(Duration.ofMillis(50)), With.notListening()),
                    QueueHarness.quickRetries(),
                    handlers);
            await().pollDelay(Duration.ofSeconds(4)).until(() -> claims(counted) > 40);
            assertThat(counted.journal().statements()).noneMatch(sql -> sql.startsWith("-- When a worker"));
            harness.stopWorkers();
        }
    }

    private static long claims(CountedQueue counted) {
        return counted.journal().statements().stream()
                .filter(sql -> sql.contains("T2, one statement"))
                .count();
    }
}
