package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.With;
import io.konduit.queue.event.LeaseLost;
import io.konduit.queue.event.TaskFailed;
import io.konduit.queue.publish.EventThread;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A listener that takes its time costs nobody a lease, an outcome or a claim. */
@Timeout(60)
class ListenerThreadTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final CountDownLatch listenerMayEnd = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CountDownLatch told = new CountDownLatch(1);
    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger interrupted = new AtomicInteger();
    private final Object jobs = new Object() {
        @JobHandler("long")
        void work() throws InterruptedException {
            started.incrementAndGet();
            try {
                mayEnd.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted.incrementAndGet();
                throw e;
            }
        }

        @JobHandler("fails")
        void fail() {
            throw new IllegalStateException("no");
        }

        @JobHandler("quick")
        void quick() {}
    };
    private final TaskQueue queue = harness.queue(jobs);

    @AfterEach
    void letAllEnd() {
        listenerMayEnd.countDown();
        mayEnd.countDown();
    }

    private void blockOn(Class<?> kind) {
        harness.publishOn(new EventThread()::tell);
        harness.onEvent(event -> {
            if (kind.isInstance(event)) {
                told.countDown();
                try {
                    listenerMayEnd.await(60, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
    }

    /** A listener that slept for 6 s cost three handlers their leases once. */
    @Test
    @Tag("H4")
    void leasesAreExtendedWhileAListenerOfALossBlocks() throws Exception {
        Duration lease = Duration.ofSeconds(1);
        blockOn(LeaseLost.class);
        harness.startWorker(With.all(With.concurrency(4), With.lockTimeout(lease)), jobs);
        List<TaskId> ids = queue.enqueueAll(List.of(
                TaskRequest.of("long", 0),
                TaskRequest.of("long", 1),
                TaskRequest.of("long", 2),
                TaskRequest.of("long", 3)));
        await().until(() -> started.get() == 4);
        queue.cancel(ids.get(0));
        assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();

        await().until(() -> interrupted.get() > 1
                || harness.jdbc()
                                .sql("select count(*) from konduit_task where status = 'RUNNING'"
                                        + " and lock_timeout_at > locked_at + 4 * :ms * interval '1 ms'")
                                .param("ms", lease.toMillis())
                                .query(Long.class)
                                .single()
                        == 3);
        assertThat(interrupted).as("only the one that was cancelled").hasValue(1);
        mayEnd.countDown();
        ids.subList(1, 4).forEach(id -> await().untilAsserted(
                        () -> assertThat(harness.status(id)).isEqualTo("COMPLETED")));
    }

    @Test
    void outcomesAreWrittenWhileAListenerOfAFailureBlocks() throws Exception {
        blockOn(TaskFailed.class);
        harness.startWorker(jobs);
        queue.enqueue(TaskRequest.of("fails", null).maxAttempts(1));
        assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
        TaskId quick = queue.enqueue("quick", null);
        await().untilAsserted(() -> assertThat(harness.status(quick)).isEqualTo("COMPLETED"));
    }
}
