package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.admin.TaskAdministration;
import io.konduit.queue.metrics.QueueGauges;
import io.konduit.queue.metrics.QueueMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The meters of a real application do what the alert rules assume of them. */
@Tag("O4")
class AlertedMetersTests {
    private static final String WORKERS = "konduit.queue.workers";

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.of(
            List.of(Jobs.class),
            "spring.application.name=shop",
            "management.endpoints.web.exposure.include=konduitqueue",
            "konduit.queue.retry.max-attempts=1");

    private final RunningApplication application = operated.application();
    private final Rows rows = operated.rows();

    @Test
    void theCountersOfATypeAreThereBeforeItsFirstFailure() {
        for (String name : List.of("completed", "retried", "failed", "given.back", "leases.lost", "long.runs")) {
            assertThat(count("konduit.queue." + name, "queue", "default", "type", "never-sent"))
                    .as(name)
                    .isZero();
        }
        for (String outcome : List.of("reclaimed", "not_reapable", "quarantined")) {
            assertThat(count("konduit.queue.reclaims", "queue", "printing", "type", "print", "outcome", outcome))
                    .isZero();
        }
    }

    @Test
    void theFirstFailureRaisesACounterFromZero() {
        assertThat(count("konduit.queue.failed", "queue", "default", "type", "fails"))
                .isZero();
        application.bean(TaskQueue.class).enqueue("fails", null);
        await().untilAsserted(() -> assertThat(count("konduit.queue.failed", "queue", "default", "type", "fails"))
                .isEqualTo(1));
    }

    @Test
    void thousandsOfTypesMakeFewSeries() {
        MeterRegistry registry = new SimpleMeterRegistry();
        QueueMetrics metrics = new QueueMetrics(registry);
        for (int i = 0; i < 1_000; i++) {
            metrics.expect("default", "type-" + i);
        }
        assertThat(registry.find("konduit.queue.failed").counters()).hasSize(201);
    }

    @Test
    void aCancelOfARunningTaskIsNoFalseReclaim() throws InterruptedException {
        TaskId id = application.bean(TaskQueue.class).enqueue("waits", null);
        Jobs.STARTED.await();
        application.bean(TaskAdministration.class).cancel(id, "test", null);
        Jobs.MAY_END.countDown();
        Jobs.ENDED.await();
        // outcomes are written in their order: this one comes after that of the cancelled run
        TaskId next = application.bean(TaskQueue.class).enqueue("last", null);
        await().untilAsserted(() -> assertThat(rows.status(next.value())).isEqualTo("COMPLETED"));
        assertThat(application
                        .bean(MeterRegistry.class)
                        .get("konduit.queue.reclaims.false")
                        .counter()
                        .count())
                .isZero();
    }

    @Test
    @Tag("H2")
    void aSilentWorkerIsStaleUntilItIsReplaced() {
        rows.silentWorker("mail", Rows.QUEUE);
        assertWorkers(1, 0);
        rows.worker("mail", Rows.QUEUE);
        assertWorkers(1, 0);
        rows.jdbc()
                .sql("update konduit_worker set started_at = clock_timestamp() - interval '1 min'"
                        + " where name = 'mail' and last_beat_at > clock_timestamp() - interval '1 min'")
                .update();
        assertWorkers(0, 1);
        assertThat(application
                        .get(RunningApplication.ENDPOINT)
                        .json()
                        .path("workers")
                        .path("stale")
                        .asInt())
                .isZero();
    }

    @Test
    @Tag("H2")
    void oneNewWorkerReplacesOneSilentWorkerOnly() {
        rows.silentWorker("mail", Rows.QUEUE);
        rows.silentWorker("mail", Rows.QUEUE);
        rows.worker("mail", Rows.QUEUE);
        rows.jdbc()
                .sql("update konduit_worker set started_at = clock_timestamp() - interval '1 min'"
                        + " where name = 'mail' and last_beat_at > clock_timestamp() - interval '1 min'")
                .update();
        assertWorkers(1, 1);
    }

    @Test
    @Tag("H2")
    void aSilentWorkerThatNobodyReplacesIsGoneAfterAQuarterOfAnHour() {
        UUID silent = rows.silentWorker("mail", Rows.QUEUE);
        silentFor(silent, "14 min");
        assertWorkers(1, 0);
        silentFor(silent, "16 min");
        assertWorkers(0, 1);
    }

    @Test
    @Tag("H2")
    @Tag("H3")
    void aSilentWorkerThatHoldsATaskIsStaleHoweverLong() {
        UUID silent = rows.silentWorker("mail", Rows.QUEUE);
        silentFor(silent, "20 h");
        rows.running("mail", silent, "1 h");
        assertWorkers(1, 0);
    }

    private void silentFor(UUID worker, String time) {
        rows.jdbc()
                .sql("update konduit_worker set started_at = clock_timestamp() - interval '2 days',"
                        + " last_beat_at = clock_timestamp() - :time::interval where id = :id")
                .param("time", time)
                .param("id", worker)
                .update();
    }

    private void assertWorkers(int stale, int gone) {
        await().untilAsserted(() -> {
            application.bean(QueueGauges.class).refresh();
            assertThat(gauge("stale")).as("stale").isEqualTo(stale);
            assertThat(gauge("gone")).as("gone").isEqualTo(gone);
        });
    }

    private double gauge(String status) {
        return application
                .bean(MeterRegistry.class)
                .get(WORKERS)
                .tag("status", status)
                .gauge()
                .value();
    }

    /** Of all series with these tags, as the rules add them up; at least one is there. */
    private double count(String name, String... tags) {
        return application.bean(MeterRegistry.class).get(name).tags(tags).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }

    static class Jobs {
        static final CountDownLatch STARTED = new CountDownLatch(1);
        static final CountDownLatch MAY_END = new CountDownLatch(1);
        static final CountDownLatch ENDED = new CountDownLatch(1);

        @JobHandler("last")
        void last() {}

        @JobHandler("never-sent")
        void neverSent() {}

        @JobHandler(value = "print", queue = "printing")
        void print() {}

        @JobHandler("fails")
        void fails() {
            throw new IllegalStateException("no printer");
        }

        @JobHandler("waits")
        void waits() {
            STARTED.countDown();
            boolean interrupted = false;
            while (true) {
                try {
                    MAY_END.await();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            ENDED.countDown();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
