package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.RetryPolicy;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.With;
import io.konduit.queue.event.LeaseLost;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An interrupt is for one run: neither what follows it on its thread nor the next task of the slot sees it. */
@Timeout(60)
class InterruptTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final CountDownLatch nextMayEnd = new CountDownLatch(1);
    private final AtomicInteger nextStarted = new AtomicInteger();
    private final AtomicInteger policyAsked = new AtomicInteger();
    private final AtomicBoolean leaked = new AtomicBoolean();

    private final Object jobs = new Object() {
        /** Notices that it is interrupted and leaves the flag set, as careless libraries do. */
        @JobHandler("careless")
        void careless(TaskContext task) {
            started.countDown();
            while (task.attempt() == 1 && !Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
            if (task.attempt() == 1) {
                throw new IllegalStateException("interrupted");
            }
        }

        @JobHandler(value = "careless-limited", timeout = "100ms")
        void limited(TaskContext task) {
            careless(task);
        }

        @JobHandler("waits")
        void waits() throws InterruptedException {
            started.countDown();
            mayEnd.await(60, TimeUnit.SECONDS);
        }

        @JobHandler(value = "waits-limited", timeout = "3s")
        void waitsLimited() throws InterruptedException {
            waits();
        }

        @JobHandler("next")
        void next() throws InterruptedException {
            leaked.compareAndSet(false, Thread.currentThread().isInterrupted());
            nextStarted.incrementAndGet();
            try {
                nextMayEnd.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                leaked.set(true);
                throw e;
            }
        }
    };
    private final TaskQueue queue = harness.queue(jobs);

    /** The application's policy is asked on the thread of the run that has just ended. */
    private final RetryPolicy policy = new RetryPolicy() {
        @Override
        public int maxAttempts() {
            return 3;
        }

        @Override
        public Duration backoff(int attempt) {
            leaked.compareAndSet(false, Thread.currentThread().isInterrupted());
            policyAsked.incrementAndGet();
            return Duration.ZERO;
        }
    };

    @AfterEach
    void letHandlersEnd() {
        mayEnd.countDown();
        nextMayEnd.countDown();
    }

    private void startWithOneSlot(Duration lease) {
        harness.startWorker(With.all(With.concurrency(1), With.lockTimeout(lease)), policy, jobs);
    }

    @Test
    @Tag("H5")
    void interruptOfALostRunEndsWithIt() {
        startWithOneSlot(Duration.ofSeconds(1));
        TaskId lost = queue.enqueue("careless", null);
        await().until(() -> started.getCount() == 0);
        queue.enqueue("next", null);
        queue.cancel(lost);
        await().until(() -> nextStarted.get() == 1);
        assertThat(harness.events())
                .contains(new LeaseLost(lost, "careless", "default", 1, LeaseLost.Reason.CANCELLED));
        assertThat(policyAsked).hasValue(1);
        assertThat(leaked).isFalse();
    }

    @Test
    @Tag("H6")
    void interruptOfARunOverItsLimitEndsWithIt() {
        startWithOneSlot(Duration.ofSeconds(30));
        TaskId slow = queue.enqueue("careless-limited", null);
        await().untilAsserted(() -> assertThat(harness.status(slow)).isEqualTo("COMPLETED"));
        assertThat(policyAsked).hasValue(1);
        assertThat(leaked).isFalse();
    }

    /** The loss is noticed when the outcome is refused: by then the thread runs another task. */
    @Test
    @Tag("H5")
    void runThatIsFoundLostAfterItsEndInterruptsNobody() {
        startWithOneSlot(Duration.ofMinutes(5));
        TaskId lost = queue.enqueue("waits", null);
        await().until(() -> started.getCount() == 0);
        TaskId next = queue.enqueue("next", null);
        queue.cancel(lost);
        mayEnd.countDown();
        await().until(() ->
                harness.events().contains(new LeaseLost(lost, "waits", "default", 1, LeaseLost.Reason.CANCELLED)));
        await().until(() -> nextStarted.get() == 1);
        nextMayEnd.countDown();
        await().untilAsserted(() -> assertThat(harness.status(next)).isEqualTo("COMPLETED"));
        assertThat(leaked).isFalse();
    }

    /** Its outcome waits for a lock beyond the limit of the run, and the thread runs another task. */
    @Test
    @Tag("H6")
    void runThatEndedInTimeIsNotOverItsLimitLater() throws Exception {
        startWithOneSlot(Duration.ofSeconds(30));
        TaskId ended = queue.enqueue("waits-limited", null);
        await().until(() -> started.getCount() == 0);
        TaskId next = queue.enqueue("next", null);
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select 1 from konduit_task where id = " + ended + " for update");
            mayEnd.countDown();
            await().until(() -> nextStarted.get() == 1);
            await().until(() -> harness.jdbc()
                    .sql("select locked_at < clock_timestamp() - interval '4 s' from konduit_task where id = :id")
                    .param("id", ended.value())
                    .query(Boolean.class)
                    .single());
            other.rollback();
        }
        nextMayEnd.countDown();
        await().untilAsserted(() -> assertThat(harness.status(next)).isEqualTo("COMPLETED"));
        await().untilAsserted(() -> assertThat(harness.status(ended)).isEqualTo("COMPLETED"));
        assertThat(leaked).isFalse();
    }
}
