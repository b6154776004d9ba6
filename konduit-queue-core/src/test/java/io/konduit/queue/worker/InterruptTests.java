package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.LeaseLost;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.With;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An interrupt is for one run: the next task of the same slot does not see it. */
@Timeout(60)
class InterruptTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    /** Notices that it is interrupted and leaves the flag set, as careless libraries do. */
    static class Jobs {
        final CountDownLatch started = new CountDownLatch(1);
        final AtomicInteger nextRuns = new AtomicInteger();
        final AtomicBoolean leaked = new AtomicBoolean();

        @JobHandler("careless")
        void careless(TaskContext task) {
            started.countDown();
            while (task.attempt() == 1 && !Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        }

        @JobHandler(value = "limited", timeout = "100ms")
        void limited(TaskContext task) {
            careless(task);
        }

        @JobHandler("next")
        void next() {
            if (Thread.currentThread().isInterrupted()) {
                leaked.set(true);
            }
            nextRuns.incrementAndGet();
        }
    }

    private final Jobs jobs = new Jobs();
    private final TaskQueue queue = harness.queue(jobs);

    private void startWithOneSlot() {
        harness.startWorker(With.all(With.concurrency(1), With.lockTimeout(Duration.ofSeconds(1))), jobs);
    }

    @Test
    @Tag("H5")
    void interruptOfALostRunDoesNotReachTheNextTask() {
        startWithOneSlot();
        TaskId lost = queue.enqueue("careless", null);
        await().until(() -> jobs.started.getCount() == 0);
        queue.enqueue("next", null);
        queue.cancel(lost);
        await().until(() -> jobs.nextRuns.get() == 1);
        assertThat(harness.events()).contains(new LeaseLost(lost, "careless", "default", 1));
        assertThat(jobs.leaked).isFalse();
    }

    @Test
    @Tag("H6")
    void interruptOfARunOverItsLimitDoesNotReachTheNextTask() {
        startWithOneSlot();
        TaskId slow = queue.enqueue("limited", null);
        await().until(() -> jobs.started.getCount() == 0);
        queue.enqueue("next", null);
        await().until(() -> jobs.nextRuns.get() == 1);
        assertThat(jobs.leaked).isFalse();
        await().untilAsserted(() -> assertThat(harness.status(slow)).isEqualTo("COMPLETED"));
    }
}
