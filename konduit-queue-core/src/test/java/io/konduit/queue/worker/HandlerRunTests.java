package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.Priority;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;

class HandlerRunTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static void awaitStatus(TaskId id, String status) {
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo(status));
    }

    static class Recorder {
        final List<Object> seen = new CopyOnWriteArrayList<>();

        @JobHandler("record")
        void handle(String what) {
            seen.add(what);
        }

        @JobHandler("mdc")
        void mdc(TaskContext task) {
            seen.add(new java.util.TreeMap<>(MDC.getCopyOfContextMap()));
            if (task.attempt() == 1) {
                throw new IllegalStateException("again");
            }
        }
    }

    @Test
    @Tag("O6")
    void handlersHaveTaskTypeAttemptAndWorkerInTheMdc() {
        Recorder recorder = new Recorder();
        WorkerLifecycle worker = harness.startWorker(recorder);
        TaskId id = harness.queue(recorder).enqueue("mdc", null);
        awaitStatus(id, "COMPLETED");
        assertThat(recorder.seen)
                .containsExactly(
                        Map.of(
                                "konduit.task",
                                id.toString(),
                                "konduit.type",
                                "mdc",
                                "konduit.attempt",
                                "1",
                                "konduit.worker",
                                worker.identity().id().toString()),
                        Map.of(
                                "konduit.task",
                                id.toString(),
                                "konduit.type",
                                "mdc",
                                "konduit.attempt",
                                "2",
                                "konduit.worker",
                                worker.identity().id().toString()));
    }

    @Test
    void betterPrioritiesRunFirst() {
        Recorder recorder = new Recorder();
        TaskQueue queue = harness.queue(recorder);
        for (Priority priority : List.of(Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.CRITICAL)) {
            queue.enqueue(TaskRequest.of("record", priority.name() + 1).priority(priority));
            queue.enqueue(TaskRequest.of("record", priority.name() + 2).priority(priority));
        }
        harness.startWorker(With.concurrency(1), recorder);
        await().until(() -> recorder.seen.size() == 8);
        assertThat(recorder.seen)
                .containsExactly("CRITICAL1", "CRITICAL2", "HIGH1", "HIGH2", "NORMAL1", "NORMAL2", "LOW1", "LOW2");
    }

    @Test
    void delayedTasksWaitForTheirTime() {
        Recorder recorder = new Recorder();
        TaskQueue queue = harness.queue(recorder);
        harness.startWorker(recorder);
        TaskId delayed = queue.enqueue(TaskRequest.of("record", "delayed").delay(Duration.ofHours(1)));
        TaskId future = queue.enqueue(TaskRequest.of("record", "future").runAt(Instant.parse("2099-01-01T00:00:00Z")));
        TaskId past = queue.enqueue(TaskRequest.of("record", "past").runAt(Instant.parse("2001-01-01T00:00:00Z")));
        TaskId now = queue.enqueue("record", "now");
        awaitStatus(past, "COMPLETED");
        awaitStatus(now, "COMPLETED");
        assertThat(List.of(harness.status(delayed), harness.status(future))).containsOnly("PENDING");
        harness.makeDue(delayed.value());
        awaitStatus(delayed, "COMPLETED");
        assertThat(harness.status(future)).isEqualTo("PENDING");
    }

    /** Holds every run until it is let go. */
    static class Blocking {
        final CountDownLatch release = new CountDownLatch(1);
        final AtomicInteger inside = new AtomicInteger();
        final AtomicInteger mostAtOnce = new AtomicInteger();
        final AtomicInteger slow = new AtomicInteger();

        @JobHandler("block")
        void block() throws InterruptedException {
            mostAtOnce.accumulateAndGet(inside.incrementAndGet(), Math::max);
            release.await(60, TimeUnit.SECONDS);
            inside.decrementAndGet();
        }

        @JobHandler(value = "slow", queue = "slow")
        void slow() throws InterruptedException {
            slow.incrementAndGet();
            release.await(60, TimeUnit.SECONDS);
            slow.decrementAndGet();
        }
    }

    @Test
    void runsAsManyAtOnceAsThereAreSlotsAndClaimsNoMore() {
        Blocking blocking = new Blocking();
        TaskQueue queue = harness.queue(blocking);
        List<TaskId> ids = queue.enqueueAll(
                IntStream.range(0, 12).mapToObj(i -> TaskRequest.of("block", i)).toList());
        harness.startWorker(With.concurrency(3), blocking);
        await().until(() -> blocking.inside.get() == 3);
        assertThat(running()).isEqualTo(3);
        blocking.release.countDown();
        await().untilAsserted(
                        () -> assertThat(ids.stream().map(harness::status)).containsOnly("COMPLETED"));
        assertThat(blocking.mostAtOnce).hasValue(3);
    }

    @Test
    void queueWithSlotsOfItsOwnNeitherTakesThoseOfOthersNorGivesItsOwn() {
        Blocking blocking = new Blocking();
        Recorder recorder = new Recorder();
        TaskQueue queue = harness.queue(blocking, recorder);
        harness.startWorker(
                With.all(
                        With.queues("default", "other", "slow"),
                        With.concurrency(2),
                        With.queueConcurrency(Map.of("slow", 3))),
                blocking,
                recorder);
        queue.enqueueAll(
                IntStream.range(0, 9).mapToObj(i -> TaskRequest.of("slow", i)).toList());
        await().until(() -> blocking.slow.get() == 3);
        TaskId one = queue.enqueue("record", "one");
        TaskId two = queue.enqueue(TaskRequest.of("record", "two").queue("other"));
        TaskId elsewhere = queue.enqueue(TaskRequest.of("record", "three").queue("not-mine"));
        awaitStatus(one, "COMPLETED");
        awaitStatus(two, "COMPLETED");
        assertThat(blocking.slow).hasValue(3);
        assertThat(harness.status(elsewhere)).isEqualTo("PENDING");
        blocking.release.countDown();
    }

    static class Slowpoke {
        final AtomicInteger attempts = new AtomicInteger();
        final AtomicInteger interrupts = new AtomicInteger();
        final AtomicReference<Boolean> cancelled = new AtomicReference<>();
        final CountDownLatch never = new CountDownLatch(1);

        @JobHandler(value = "limited", timeout = "200ms")
        void limited(TaskContext task) throws InterruptedException {
            if (attempts.incrementAndGet() == 1) {
                try {
                    never.await(60, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    interrupts.incrementAndGet();
                    cancelled.set(task.cancelled());
                    throw e;
                }
            }
        }

        @JobHandler("unlimited")
        void unlimited(TaskContext task) throws InterruptedException {
            limited(task);
        }
    }

    @Test
    @Tag("H6")
    void runOverTheLimitOfItsHandlerIsInterruptedAndTriedAgain() {
        Slowpoke slowpoke = new Slowpoke();
        harness.startWorker(slowpoke);
        TaskId id = harness.queue(slowpoke).enqueue("limited", null);
        awaitStatus(id, "COMPLETED");
        assertThat(slowpoke.interrupts).hasValue(1);
        assertThat(slowpoke.cancelled).hasValue(true);
        assertThat(slowpoke.attempts).hasValue(2);
    }

    @Test
    @Tag("H6")
    void limitOfTheRequestAndThenOfTheWorkerCountWhereTheHandlerHasNone() {
        Slowpoke first = new Slowpoke();
        harness.startWorker(first);
        TaskId own =
                harness.queue(first).enqueue(TaskRequest.of("unlimited", null).timeout(Duration.ofMillis(200)));
        awaitStatus(own, "COMPLETED");
        assertThat(first.interrupts).hasValue(1);

        Slowpoke second = new Slowpoke();
        harness.startWorker(With.all(With.queues("limited-worker"), With.timeout(Duration.ofMillis(200))), second);
        TaskId settings =
                harness.queue(second).enqueue(TaskRequest.of("unlimited", null).queue("limited-worker"));
        awaitStatus(settings, "COMPLETED");
        assertThat(second.interrupts).hasValue(1);
    }

    static class Importer {
        final List<Optional<Integer>> starts = new CopyOnWriteArrayList<>();

        @JobHandler("import")
        void run(TaskContext task) {
            Optional<Integer> last = task.lastCheckpoint(Integer.class);
            starts.add(last);
            int from = last.orElse(0);
            for (int row = from + 1; row <= from + 10; row++) {
                task.checkpoint(row);
            }
            assertThat(task.lastCheckpoint(Integer.class)).contains(from + 10);
            if (from < 20) {
                throw new IllegalStateException("power cut");
            }
        }
    }

    @Test
    @Tag("C1")
    @Tag("C2")
    void checkpointSurvivesARetry() {
        Importer importer = new Importer();
        harness.startWorker(importer);
        TaskId id = harness.queue(importer).enqueue("import", null);
        awaitStatus(id, "COMPLETED");
        assertThat(importer.starts).containsExactly(Optional.empty(), Optional.of(10), Optional.of(20));
    }

    /** Fast runs first, so that the worker claims ahead; then one that blocks all that were claimed with it. */
    @Test
    void whatWasClaimedAheadIsGivenBackWhenItsTurnDoesNotCome() {
        Blocking blocking = new Blocking();
        Recorder recorder = new Recorder();
        TaskQueue queue = harness.queue(blocking, recorder);
        harness.startWorker(With.all(With.concurrency(1), With.pollInterval(Duration.ofHours(1))), blocking, recorder);
        // many, so that one slow run on a busy machine does not decide
        List<TaskId> warmUps = queue.enqueueAll(IntStream.range(0, 100)
                .mapToObj(i -> TaskRequest.of("record", "warm-up " + i))
                .toList());
        await().until(() -> recorder.seen.size() == warmUps.size());
        List<TaskRequest> requests = new java.util.ArrayList<>();
        requests.add(TaskRequest.of("block", null).priority(Priority.HIGH));
        IntStream.range(0, 5).forEach(i -> requests.add(TaskRequest.of("record", "behind " + i)));
        List<TaskId> ids = queue.enqueueAll(requests);
        await().until(() -> blocking.inside.get() == 1);
        await().untilAsserted(() -> {
            assertThat(ids.subList(1, 6).stream().map(harness::status)).containsOnly("PENDING");
            assertThat(claimedAndGivenBack()).isPositive();
        });
        assertThat(harness.count(
                        "select count(*) from konduit_task where status = 'PENDING' and max_attempts - attempts <> 3"))
                .isZero();

        Recorder idle = new Recorder();
        harness.startWorker(idle);
        await().until(() -> idle.seen.size() == 5);
        blocking.release.countDown();
        awaitStatus(ids.get(0), "COMPLETED");
    }

    /** Waiting tasks that a worker has had. */
    private static long claimedAndGivenBack() {
        return harness.count("select count(*) from konduit_task where status = 'PENDING' and attempts > 0");
    }

    private static long running() {
        return harness.count("select count(*) from konduit_task where status = 'RUNNING'");
    }
}
