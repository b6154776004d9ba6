package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.CapturedLog;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.With;
import io.konduit.queue.enqueue.Notifier;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.operations.DatabaseQueueInspection;
import io.konduit.queue.settings.InspectionSettings;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.ControlReceiver;
import io.konduit.queue.store.NotificationChannel;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With leases of a day, a handler that hears of its cancel heard of it by a notice, not by its next extension. */
@Timeout(60)
class CancelRunningTests {
    private static final UnaryOperator<WorkerSettings> DAILY = With.lockTimeout(Duration.ofDays(1));

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final Sleeper sleeper = new Sleeper();
    private final CountDownLatch mayEnd = sleeper.mayEnd;

    static class Sleeper {
        final List<String> ends = new CopyOnWriteArrayList<>();
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobHandler("sleep")
        void sleep(TaskContext task) {
            started.countDown();
            try {
                mayEnd.await();
                ends.add("undisturbed");
            } catch (InterruptedException e) {
                ends.add("interrupted, cancelled=" + task.cancelled());
            }
        }
    }

    @AfterEach
    void letEnd() {
        mayEnd.countDown();
    }

    private static TaskQueue queue(ControlReceiver... receivers) {
        return harness.engine()
                .wakeUps(Stream::empty)
                .controlReceivers(() -> Stream.of(receivers))
                .build()
                .taskQueue();
    }

    private TaskId start(TaskQueue queue) throws InterruptedException {
        TaskId id = queue.enqueue("sleep", null);
        sleeper.started.await();
        return id;
    }

    private void awaitInterrupted() {
        await().untilAsserted(() -> assertThat(sleeper.ends).containsExactly("interrupted, cancelled=true"));
    }

    @Test
    void handlerInTheSameJvmHearsOfItAtOnce() throws Exception {
        TaskQueue queue = queue(harness.startWorker(DAILY, sleeper));
        TaskId id = start(queue);
        try (CapturedLog log = CapturedLog.ofPackageOf(WorkerLifecycle.class)) {
            assertThat(queue.cancel(id)).isTrue();
            awaitInterrupted();
            await().until(() -> lateOutcome(id) != null);
            assertThat(log.at(Level.WARN)).isEmpty();
            // The rest of the line depends on which comes first: the notice, or the refusal of the handler's outcome.
            assertThat(log.at(Level.INFO))
                    .singleElement(STRING)
                    .startsWith("task " + id + " (sleep, attempt 1) was cancelled while it ran: its ");
        }
        assertThat(harness.events())
                .containsExactly(new LeaseLost(id, "sleep", "default", 1, LeaseLost.Reason.CANCELLED));
    }

    @Test
    void handlerHearsOfItAfterTheCommitAndNeverOfOneThatIsRolledBack() throws Exception {
        List<ControlMessage> sent = new CopyOnWriteArrayList<>();
        TaskQueue queue = queue(harness.startWorker(DAILY, sleeper), sent::add);
        TaskId id = start(queue);
        harness.transaction().executeWithoutResult(status -> {
            queue.cancel(id);
            status.setRollbackOnly();
        });
        assertThat(sent).isEmpty();
        harness.transaction().executeWithoutResult(status -> {
            queue.cancel(id);
            assertThat(sent).isEmpty();
        });
        assertThat(sent).containsExactly(ControlMessage.cancelled(id));
        awaitInterrupted();
    }

    @Test
    void cancelOfATaskThatNobodyRunsTellsNobody() {
        List<ControlMessage> sent = new CopyOnWriteArrayList<>();
        TaskQueue queue = queue(sent::add);
        assertThat(queue.cancel(queue.enqueue("sleep", null))).isTrue();
        assertThat(sent).isEmpty();
    }

    /** The queue of another JVM reaches the worker through the database alone. */
    @Test
    void handlerElsewhereHearsOfItThroughTheListeningSession() throws Exception {
        Notifier notifier = new Notifier(new NotificationChannel(harness.database()));
        notifier.start();
        try {
            harness.startWorker(With.all(DAILY, With.listening()), sleeper);
            awaitListener();
            TaskQueue elsewhere = queue(notifier);
            TaskId id = start(elsewhere);
            elsewhere.cancel(id);
            awaitInterrupted();
        } finally {
            notifier.stop();
        }
    }

    @Test
    void cancelThatWasMissedWhileNobodyListenedIsFoundWhenListeningBeginsAgain() throws Exception {
        harness.startWorker(With.all(DAILY, With.listening()), sleeper);
        awaitListener();
        TaskQueue silent = queue();
        silent.cancel(start(silent));
        harness.testDatabase().killConnections();
        awaitInterrupted();
    }

    @Test
    void whereNobodyListensTheNextHeartbeatFindsIt() throws Exception {
        harness.startWorker(
                settings -> DAILY.andThen(CancelRunningTests::beatingOften).apply(settings), sleeper);
        TaskQueue silent = queue();
        silent.cancel(start(silent));
        awaitInterrupted();
    }

    /** A hint is no proof: the row decides. */
    @Test
    void forgedStaleAndForeignNotificationsDoNoHarm() throws Exception {
        harness.startWorker(With.all(DAILY, With.listening()), sleeper);
        awaitListener();
        TaskId id = start(queue());
        NotificationChannel channel = new NotificationChannel(harness.database());
        for (String payload : List.of("cancelled " + id, "cancelled x", "cancelled ", "nonsense", "", "drained 17")) {
            harness.jdbc()
                    .sql("select pg_notify('konduit_control', :payload)")
                    .param("payload", payload)
                    .query((row, number) -> number)
                    .list();
        }
        // a queue may have any name
        channel.send(Set.of("cancelled " + id));
        await().untilAsserted(() -> assertThat(extended(id)).isTrue());
        mayEnd.countDown();
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
        assertThat(sleeper.ends).containsExactly("undisturbed");
    }

    /** The reply to a claim may be under way when the notice comes. */
    @Test
    void noticeThatComesBeforeItsTaskIsKnownIsKept() {
        ActiveLeases active = new ActiveLeases();
        List<String> woken = new CopyOnWriteArrayList<>();
        CancelNotices notices = new CancelNotices(active, () -> woken.add("keeper"));
        RunningTask run = new RunningTask(Tasks.claimed(17), Duration.ZERO, System.nanoTime());
        notices.received(17);
        assertThat(woken).isEmpty();
        active.add(run);
        notices.claimed(run);
        assertThat(woken).containsExactly("keeper");
        assertThat(run.needsExtension(System.nanoTime())).isTrue();
    }

    static class Stubborn {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch told = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobHandler("stubborn")
        void run() {
            started.countDown();
            boolean ended = false;
            while (!ended) {
                try {
                    mayEnd.await();
                    ended = true;
                } catch (InterruptedException e) {
                    told.countDown();
                }
            }
        }
    }

    @Test
    void explanationSaysThatTheHandlerMayStillBeRunningAndThenThatItEnded() throws Exception {
        Stubborn stubborn = new Stubborn();
        TaskQueue queue = queue(harness.startWorker(DAILY, stubborn));
        TaskId id = queue.enqueue("stubborn", null);
        stubborn.started.await();
        queue.cancel(id);
        stubborn.told.await();
        assertThat(explanation(id))
                .startsWith("It was cancelled at ")
                .contains("It was running then on worker 'test' (", "may still be running if it ignores interrupts");
        stubborn.mayEnd.countDown();
        await().untilAsserted(() -> assertThat(explanation(id))
                .contains("Its handler was running then and ended at ", "its result was dropped"));
        TaskId waiting = queue.enqueue("nobody", null);
        queue.cancel(waiting);
        assertThat(explanation(waiting)).endsWith(" and does not run again.");
    }

    private static String explanation(TaskId id) {
        InspectionSettings settings = InspectionSettings.defaults();
        return new DatabaseQueueInspection(harness.database(), settings)
                .story(id)
                .explanation();
    }

    private static WorkerSettings beatingOften(WorkerSettings settings) {
        return new WorkerSettings(
                settings.queues(),
                settings.concurrency(),
                settings.queueConcurrency(),
                settings.lockTimeout(),
                settings.pollInterval(),
                Duration.ofMillis(100),
                settings.timeout(),
                settings.warnAfter(),
                settings.drainTimeout(),
                settings.listen(),
                settings.isolateAfter());
    }

    private static boolean extended(TaskId id) {
        return harness.jdbc()
                .sql("select lock_timeout_at > locked_at + interval '1 day' from konduit_task where id = :id")
                .param("id", id.value())
                .query(Boolean.class)
                .single();
    }

    private static String lateOutcome(TaskId id) {
        return harness.jdbc()
                .sql("select late_outcome from konduit_task_incident where task_id = :id")
                .param("id", id.value())
                .query(String.class)
                .optional()
                .orElse(null);
    }

    private static void awaitListener() {
        await().until(() -> harness.testDatabase().listeners().size() == 1);
    }
}
