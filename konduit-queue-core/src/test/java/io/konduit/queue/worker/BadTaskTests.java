package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.konduit.queue.DoNotRetryException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.LogCapture;
import io.konduit.queue.PayloadTooLargeException;
import io.konduit.queue.Priority;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One bad task harms no other, and nothing is lost. */
class BadTaskTests {
    private static final String CANARY = "canary-4711";

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    record Order(int number, List<String> lines) {}

    static class Orders {
        final Set<Integer> done = ConcurrentHashMap.newKeySet();

        @JobHandler("order")
        void handle(Order order) {
            done.add(order.number());
        }
    }

    static class Leaky {
        @JobHandler("leaky")
        void handle(String text, TaskContext task) {
            task.checkpoint(List.of(text));
            throw new IllegalStateException("cannot handle " + text, new RuntimeException(text));
        }

        @JobHandler("leaky-for-good")
        void fail(String text) {
            throw new DoNotRetryException("cannot handle " + text);
        }

        @JobHandler("unreadable")
        void unreadable(Order order) {}
    }

    /** jsonb writes numbers out: nine characters here are 131072 digits there, and gigabytes for each claim to send. */
    @Test
    void payloadWhoseNumbersGrowInTheDatabaseDoesNotBlockItsQueue() {
        Orders orders = new Orders();
        harness.startWorker(With.concurrency(1), orders);
        TaskQueue queue = harness.queue();
        List<BigDecimal> numbers = Collections.nCopies(20_000, new BigDecimal("1e131071"));
        Throwable refused = catchThrowable(() -> queue.enqueue("order", numbers));
        queue.enqueue("order", new Order(1, List.of()));
        await().untilAsserted(() -> assertThat(orders.done).containsExactly(1));
        assertThat(refused).isInstanceOf(PayloadTooLargeException.class);
    }

    private static TaskId insertRaw(String json) {
        return TaskId.of(harness.jdbc()
                .sql(
                        "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                                + " values ('default', 'order', :json::jsonb, 1, 'PENDING', clock_timestamp(), clock_timestamp()) returning id")
                .param("json", json)
                .query(Long.class)
                .single());
    }

    private static String lastError(TaskId id) {
        return harness.jdbc()
                .sql("select last_error from konduit_task where id = :id")
                .param("id", id.value())
                .query(String.class)
                .single();
    }

    @Test
    @Tag("S9")
    void payloadsThatDoNotParseFailAloneAndGoodTasksGoOn() {
        Orders orders = new Orders();
        List<TaskId> bad = List.of(
                insertRaw("\"text\""),
                insertRaw("[1, 2]"),
                insertRaw("{\"number\": \"many\"}"),
                insertRaw("{\"number\": 1, \"lines\": {\"a\": 1}}"),
                insertRaw("[".repeat(2_000) + "]".repeat(2_000)));
        List<TaskId> good = harness.queue(orders)
                .enqueueAll(IntStream.range(0, 45)
                        .mapToObj(i -> TaskRequest.of("order", new Order(i, List.of("x"))))
                        .toList());
        harness.startWorker(orders);
        await().untilAsserted(
                        () -> assertThat(good.stream().map(harness::status)).containsOnly("COMPLETED"));
        await().untilAsserted(
                        () -> assertThat(bad.stream().map(harness::status)).containsOnly("FAILED"));
        assertThat(orders.done).hasSize(45);
        assertThat(lastError(bad.get(2)))
                .contains(
                        "InvalidPayloadException: Expected the payload of type 'order' to be readable as "
                                + Order.class.getTypeName()
                                + ", but it is not at 'number' (InvalidFormatException). Correct the sender, or the declared type.");
    }

    @Test
    @Tag("O7")
    void neitherPayloadNorErrorMessageIsLogged() {
        Leaky leaky = new Leaky();
        try (LogCapture log = LogCapture.open()) {
            TaskQueue queue = harness.queue(leaky);
            harness.startWorker(leaky);
            TaskId retried = queue.enqueue("leaky", CANARY);
            TaskId failed = queue.enqueue("leaky-for-good", CANARY);
            // by a sender that does not know the handler
            TaskId unreadable = harness.queue().enqueue("unreadable", CANARY);
            TaskId unknown = queue.enqueue("unknown", CANARY);
            await().untilAsserted(() -> assertThat(
                            List.of(retried, failed, unreadable).stream().map(harness::status))
                    .containsOnly("FAILED"));
            await().untilAsserted(
                            () -> assertThat(log.messages(Level.WARN)).anyMatch(line -> line.contains("'unknown'")));
            assertThat(lastError(retried)).contains("cannot handle " + CANARY);
            assertThat(lastError(unreadable))
                    .contains("InvalidPayloadException")
                    .doesNotContain(CANARY);
            assertThat(log.messages(Level.WARN))
                    .anyMatch(line -> line.startsWith("task " + retried + " (leaky, attempt 1) failed, attempt 2 of ")
                            && line.contains(": java.lang.RuntimeException\n    at ")
                            && line.contains("wrapped by java.lang.IllegalStateException\n"))
                    .anyMatch(line -> line.startsWith("task " + unreadable + " (unreadable, attempt 1) failed: "
                            + "io.konduit.queue.InvalidPayloadException: Expected the payload of type 'unreadable'"))
                    .anyMatch(
                            line -> line.startsWith(
                                    "task " + failed
                                            + " (leaky-for-good, attempt 1) is FAILED after attempt 1 of 3 (not to be retried) with io.konduit.queue.DoNotRetryException."));
            assertThat(log.everything()).doesNotContain(CANARY);
            assertThat(harness.events().toString()).doesNotContain(CANARY);
            assertThat(harness.status(unknown)).isNotEqualTo("FAILED");
        }
    }

    @Test
    @Tag("S10")
    void unknownTypeStaysUnchargedAndIsRunByAWorkerThatKnowsIt() {
        Orders orders = new Orders();
        TaskQueue queue = harness.queue();
        try (LogCapture log = LogCapture.open()) {
            WorkerLifecycle older = harness.startWorker(new Leaky());
            TaskId id = queue.enqueue(
                    TaskRequest.of("order", new Order(1, List.of())).maxAttempts(2));
            await().untilAsserted(() -> assertThat(log.messages(Level.WARN)).hasSize(1));
            assertThat(log.messages(Level.WARN))
                    .containsExactly(
                            "This worker has no handler for tasks of type 'order' and leaves them to workers that have; it knows [leaky, leaky-for-good, unreadable]");
            assertThat(harness.status(id)).isEqualTo("PENDING");
            assertThat(harness.attemptsLeft(id)).isEqualTo(2);

            queue.enqueue("order", new Order(2, List.of()));
            older.tasksDue(Set.of("default"));
            harness.startWorker(orders);
            await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo("COMPLETED"));
            assertThat(log.messages(Level.WARN)).hasSize(1);
        }
        await().until(() -> orders.done.size() == 2);
    }

    @Test
    @Tag("S10")
    void unknownTypesBeyondNumberKeepNobodyFromWorking() {
        Orders orders = new Orders();
        TaskQueue queue = harness.queue();
        queue.enqueueAll(IntStream.range(0, 1_100)
                .mapToObj(i -> TaskRequest.of("unknown-" + i, i).priority(Priority.HIGH))
                .toList());
        TaskId known = queue.enqueue("order", new Order(1, List.of()));
        harness.startWorker(With.concurrency(20), orders);
        await().untilAsserted(() -> assertThat(harness.status(known)).isEqualTo("COMPLETED"));
        assertThat(harness.count("select count(*) from konduit_task where attempts <> 0 or status <> 'PENDING'"))
                .isZero();
    }
}
