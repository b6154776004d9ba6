package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.TaskStatus;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A payment that a worker began before it was lost. It is held for a person. */
final class LostPayment {
    private LostPayment() {}

    /** Enqueues it in a queue that no worker serves, so that an update can play the lost worker. */
    static TaskId held(TaskQueue queue, JdbcClient jdbc, long order) {
        TaskId id = queue.enqueue(TaskRequest.of("payment", new PaymentJobs.Payment(order, 100, 0))
                .queue("elsewhere")
                .maxAttempts(3));
        update(
                jdbc,
                "status = 'RUNNING', attempts = 1, lease_epoch = 1, locked_by = gen_random_uuid(),"
                        + " locked_at = clock_timestamp() - interval '1 minute',"
                        + " lock_timeout_at = clock_timestamp() - interval '1 second'",
                id);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> queue.find(id).orElseThrow().status() == TaskStatus.HELD);
        update(jdbc, "queue = 'default'", id);
        return id;
    }

    private static void update(JdbcClient jdbc, String change, TaskId id) {
        assertThat(jdbc.sql("update konduit_task set " + change + " where id = :id")
                        .param("id", id.value())
                        .update())
                .isEqualTo(1);
    }
}
