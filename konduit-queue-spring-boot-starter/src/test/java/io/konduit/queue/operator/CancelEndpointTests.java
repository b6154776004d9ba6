package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.admin.BulkAction;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.admin.TaskFilter;
import io.konduit.queue.test.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** With default leases a handler would hear of its cancel after 100 s: here it hears of it while the test waits. */
@Timeout(60)
class CancelEndpointTests {
    private static final BlockingQueue<Thread> STARTED = new LinkedBlockingQueue<>();
    private static final BlockingQueue<Thread> INTERRUPTED = new LinkedBlockingQueue<>();

    private static TestDatabase database;
    private static RunningApplication worker;
    private static RunningApplication elsewhere;

    static class Jobs {
        private final CountDownLatch never = new CountDownLatch(1);

        @JobHandler("sleep")
        void sleep() {
            STARTED.add(Thread.currentThread());
            try {
                never.await();
            } catch (InterruptedException e) {
                INTERRUPTED.add(Thread.currentThread());
            }
        }
    }

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        String writes = "konduit.queue.endpoint.allow-writes=true";
        String exposed = "management.endpoints.web.exposure.include=konduitqueue";
        worker = RunningApplication.start(database, List.of(Jobs.class), writes, exposed);
        elsewhere =
                RunningApplication.start(database, List.of(), writes, exposed, "konduit.queue.worker.enabled=false");
    }

    @AfterAll
    static void stop() {
        elsewhere.close();
        worker.close();
        database.close();
    }

    private static TaskId running() throws InterruptedException {
        TaskId id = worker.bean(TaskQueue.class).enqueue("sleep", null);
        assertThat(STARTED.poll(30, TimeUnit.SECONDS)).isNotNull();
        return id;
    }

    private static void assertInterrupted() throws InterruptedException {
        assertThat(INTERRUPTED.poll(30, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    void endpointOfTheSameApplicationInterruptsTheHandler() throws Exception {
        cancel(worker, running());
        assertInterrupted();
    }

    @Test
    void endpointOfAnotherApplicationInterruptsTheHandler() throws Exception {
        cancel(elsewhere, running());
        assertInterrupted();
    }

    private static void cancel(RunningApplication application, TaskId id) {
        assertThat(application
                        .post(RunningApplication.ENDPOINT + "/tasks/" + id + "/cancel", "{}")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void administrationAndBulkActionsElsewhereInterruptTheHandlerToo() throws Exception {
        TaskAdministration administration = elsewhere.bean(TaskAdministration.class);
        administration.cancel(running(), "ada", null);
        assertInterrupted();
        running();
        assertThat(administration
                        .apply(BulkAction.cancel(), TaskFilter.everything(), 10, "ada", null)
                        .changed())
                .isEqualTo(1);
        assertInterrupted();
    }

    @Test
    void cancelCountsNeitherAsALostLeaseNorAsAFalseReclaim() throws Exception {
        TaskId id = running();
        worker.bean(TaskQueue.class).cancel(id);
        assertInterrupted();
        await().until(() ->
                worker.bean(QueueInspection.class).incidentsOf(id, 1).get(0).lateOutcome() != null);
        MeterRegistry meters = worker.bean(MeterRegistry.class);
        assertThat(count(meters, "konduit.queue.reclaims.false")).isZero();
        assertThat(count(meters, "konduit.queue.leases.lost")).isZero();
    }

    private static double count(MeterRegistry meters, String name) {
        return meters.find(name).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }
}
