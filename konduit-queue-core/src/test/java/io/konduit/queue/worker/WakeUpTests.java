package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.enqueue.Notifier;
import io.konduit.queue.settings.WorkerSettings;
import io.konduit.queue.store.NotificationChannel;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With an hour between polls, whatever runs was woken. */
class WakeUpTests {
    private static final UnaryOperator<WorkerSettings> HOURLY = With.pollInterval(Duration.ofHours(1));

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Nothing {
        @JobHandler("nothing")
        void run() {}
    }

    private final Nothing handlers = new Nothing();

    private static void awaitCompleted(TaskId id) {
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
    }

    /** Waits until the worker has found nothing and sleeps until its next poll. */
    private static void awaitIdle() {
        await().until(() -> Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(thread -> thread.getKey().getName().startsWith("konduit-poll-")
                        && Stream.of(thread.getValue())
                                .anyMatch(frame -> frame.getMethodName().equals("awaitDue"))));
    }

    @Test
    void taskEnqueuedInTheSameJvmRunsAtOnceAfterTheCommit() {
        TaskQueue queue = harness.queue(handlers);
        harness.startWorker(HOURLY, handlers);
        awaitIdle();
        TaskId inTransaction = harness.transaction().execute(status -> queue.enqueue("nothing", 1));
        awaitCompleted(inTransaction);
        awaitIdle();
        awaitCompleted(queue.enqueue("nothing", 2));
        awaitIdle();
        List<TaskId> many = queue.enqueueAll(IntStream.range(0, 50)
                .mapToObj(i -> TaskRequest.of("nothing", i))
                .toList());
        await().untilAsserted(
                        () -> assertThat(many.stream().map(harness::status)).containsOnly("COMPLETED"));
    }

    @Test
    void backlogLargerThanTheSlotsIsWorkedOffWithoutFurtherWakeUps() {
        TaskQueue silent = harness.silentQueue();
        List<TaskId> ids = silent.enqueueAll(IntStream.range(0, 500)
                .mapToObj(i -> TaskRequest.of("nothing", i))
                .toList());
        harness.startWorker(HOURLY, handlers);
        await().untilAsserted(() -> assertThat(harness.count("select count(*) from konduit_task_history"))
                .isEqualTo(ids.size()));
    }

    /** A queue in another JVM: it reaches the worker only through the database. */
    private TaskQueue elsewhere(Notifier notifier) {
        return harness.engine().wakeUps(() -> Stream.of(notifier)).build().taskQueue();
    }

    @Test
    void taskEnqueuedElsewhereRunsAtOnceAlsoAfterTheConnectionBroke() {
        Notifier notifier = new Notifier(new NotificationChannel(harness.database()));
        notifier.start();
        try {
            TaskQueue queue = elsewhere(notifier);
            harness.startWorker(With.all(HOURLY, With.listening()), handlers);
            await().until(() -> harness.testDatabase().listeners().size() == 1);
            awaitIdle();
            awaitCompleted(queue.enqueue("nothing", 1));

            List<Integer> before = harness.testDatabase().listeners();
            harness.jdbc()
                    .sql("select pg_terminate_backend(:pid)")
                    .param("pid", before.get(0))
                    .query(Boolean.class)
                    .single();
            await().until(() -> harness.testDatabase().listeners().size() == 1
                    && !harness.testDatabase().listeners().equals(before));
            awaitIdle();
            awaitCompleted(queue.enqueue("nothing", 2));
        } finally {
            notifier.stop();
        }
    }

    /** What was missed while nobody listened is looked for when listening begins again. */
    @Test
    void taskEnqueuedWhileTheConnectionWasBrokenRunsWhenItIsBack() {
        harness.startWorker(With.all(HOURLY, With.listening()), handlers);
        await().until(() -> harness.testDatabase().listeners().size() == 1);
        awaitIdle();
        TaskQueue silent = harness.silentQueue();
        TaskId missed = silent.enqueue("nothing", 1);
        assertThat(harness.status(missed)).isEqualTo("PENDING");
        harness.testDatabase().killConnections();
        await().ignoreExceptions()
                .untilAsserted(() -> assertThat(harness.status(missed)).isEqualTo("COMPLETED"));
    }

    @Test
    void manyWakeUpsBecomeFewNotifications() throws Exception {
        NotificationChannel channel = new NotificationChannel(harness.database());
        Notifier notifier = new Notifier(channel);
        try (NotificationChannel.Subscription subscription = channel.subscribe()) {
            for (int i = 0; i < 1_000; i++) {
                notifier.tasksDue(Set.of("a", "b"));
            }
            notifier.start();
            assertThat(subscription.await(Duration.ofSeconds(10)).queues()).contains("a");
            notifier.tasksDue(Set.of("c"));
            await().until(() ->
                    subscription.await(Duration.ofMillis(100)).queues().contains("c"));
        } finally {
            notifier.stop();
        }
        assertThat(notifier.isRunning()).isFalse();
    }
}
