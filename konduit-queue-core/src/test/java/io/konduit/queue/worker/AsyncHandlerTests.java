package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.DoNotRetryException;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.With;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Handlers that return before their work is done. */
@Timeout(60)
class AsyncHandlerTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Jobs {
        final AtomicInteger started = new AtomicInteger();
        final CompletableFuture<String> result = new CompletableFuture<>();
        volatile FutureTask<Object> futureTask = new FutureTask<>(() -> "done");

        @JobHandler("stage")
        CompletionStage<String> stage() {
            started.incrementAndGet();
            return result.thenApply(text -> text);
        }

        @JobHandler("future")
        Future<?> future() {
            started.incrementAndGet();
            return futureTask;
        }

        @JobHandler(value = "limited", timeout = "200ms")
        CompletableFuture<String> limited(TaskContext task) {
            started.incrementAndGet();
            return task.attempt() == 1 ? result : CompletableFuture.completedFuture("done");
        }

        @JobHandler("nothing")
        CompletionStage<String> nothing() {
            return null;
        }
    }

    private final Jobs jobs = new Jobs();

    private TaskId enqueue(String type) {
        return harness.queue(jobs).enqueue(type, null);
    }

    private static void awaitStatus(TaskId id, String status) {
        await().untilAsserted(() -> assertThat(harness.status(id)).isEqualTo(status));
    }

    @Test
    @Tag("H4")
    void slotWaitsForAStageWhileItsLeaseIsExtended() {
        Duration lease = Duration.ofSeconds(1);
        harness.startWorker(With.lockTimeout(lease), jobs);
        TaskId id = enqueue("stage");
        await().until(() -> jobs.started.get() == 1);
        await().until(() -> harness.jdbc()
                .sql("select lock_timeout_at - locked_at > 2 * :ms * interval '1 ms' from konduit_task where id = :id")
                .param("ms", lease.toMillis())
                .param("id", id.value())
                .query(Boolean.class)
                .single());
        assertThat(harness.status(id)).isEqualTo("RUNNING");
        jobs.result.complete("done");
        awaitStatus(id, "COMPLETED");
        assertThat(jobs.started).hasValue(1);
    }

    @Test
    void failureOfAStageIsTheFailureOfTheTask() {
        harness.startWorker(jobs);
        jobs.result.completeExceptionally(new DoNotRetryException("refused"));
        TaskId id = enqueue("stage");
        awaitStatus(id, "FAILED");
        assertThat(jobs.started).as("the error itself decides, not its wrapper").hasValue(1);
        assertThat(harness.jdbc()
                        .sql("select last_error from konduit_task where id = :id")
                        .param("id", id.value())
                        .query(String.class)
                        .single())
                .startsWith(DoNotRetryException.class.getName());
    }

    @Test
    void slotWaitsForAFuture() {
        harness.startWorker(jobs);
        TaskId id = enqueue("future");
        await().until(() -> jobs.started.get() == 1);
        assertThat(harness.status(id)).isEqualTo("RUNNING");
        jobs.futureTask.run();
        awaitStatus(id, "COMPLETED");
    }

    @Test
    void failureOfAFutureIsTheFailureOfTheTask() {
        jobs.futureTask = new FutureTask<>(() -> {
            throw new DoNotRetryException("refused");
        });
        jobs.futureTask.run();
        harness.startWorker(jobs);
        awaitStatus(enqueue("future"), "FAILED");
        assertThat(jobs.started).hasValue(1);
    }

    @Test
    @Tag("H6")
    void timeLimitCancelsWhatTheSlotWaitsFor() {
        harness.startWorker(jobs);
        TaskId id = enqueue("limited");
        awaitStatus(id, "COMPLETED");
        assertThat(jobs.started).hasValue(2);
        assertThat(jobs.result).isCancelled();
    }

    @Test
    void handlerThatReturnsNoStageIsDone() {
        harness.startWorker(jobs);
        awaitStatus(enqueue("nothing"), "COMPLETED");
    }
}
