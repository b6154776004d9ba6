package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.metrics.QueueGauges;
import io.konduit.queue.worker.WorkerIdentity;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** S14 over the endpoint: whoever looks sees that a worker drains, and who wanted it. */
@Tag("S14")
class DrainEndpointTests {
    private static final String ENDPOINT = RunningApplication.ENDPOINT;

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.of(
            List.of(GreetJobs.class),
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always",
            "konduit.queue.endpoint.allow-writes=true");

    private final RunningApplication application = operated.application();
    private final Rows rows = operated.rows();

    @Test
    void theWorkerOfTheAnsweringInstanceDrainsAtOnceAndIsShownEverywhere() {
        String id = application.bean(WorkerIdentity.class).id().toString();
        try {
            JsonNode told = application
                    .post(ENDPOINT + "/workers/self/drain", "{\"note\": \"host is replaced\"}")
                    .json();
            assertThat(told.path("worker").asString()).isEqualTo(id);
            assertThat(told.path("draining").asBoolean()).isTrue();
            TaskId task = application.bean(TaskQueue.class).enqueue("greet", "Ada");

            JsonNode worker = application
                    .get(ENDPOINT + "/workers")
                    .json()
                    .path("workers")
                    .path(0);
            assertThat(worker.path("status").asString()).isEqualTo("DRAINING");
            assertThat(worker.path("drainingBy").asString()).isEqualTo("anonymous");
            assertThat(worker.path("running").asInt()).isZero();
            JsonNode count = application.get(ENDPOINT).json().path("workers");
            assertThat(count.path("draining").asInt()).isEqualTo(1);
            assertThat(count.path("active").asInt()).isZero();
            assertThat(count.path("stale").asInt()).isZero();
            assertThat(application
                            .get(ENDPOINT + "/tasks/" + task)
                            .json()
                            .path("explanation")
                            .asString())
                    .contains("no active worker serves queue 'default'");
            assertThat(application.get("/actuator/health").text()).contains("as anonymous asked: it claims");
            application.bean(QueueGauges.class).refresh();
            await().untilAsserted(() -> {
                application.bean(QueueGauges.class).refresh();
                assertThat(application
                                .bean(MeterRegistry.class)
                                .get("konduit.queue.workers")
                                .tag("status", "draining")
                                .gauge()
                                .value())
                        .isEqualTo(1);
            });
            assertThat(rows.status(task.value())).isEqualTo("PENDING");
            assertThat(application
                            .get(ENDPOINT + "/audit")
                            .json()
                            .path("audit")
                            .path(0)
                            .path("worker")
                            .asString())
                    .isEqualTo(id);
            assertThat(application
                            .post(ENDPOINT + "/workers/" + id + "/drain", "{}")
                            .status())
                    .isEqualTo(409);

            assertThat(application
                            .post(ENDPOINT + "/workers/" + id + "/resume", "{}")
                            .status())
                    .isEqualTo(200);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> rows.status(task.value()).equals("COMPLETED"));
            assertThat(application.get("/actuator/health").text()).doesNotContain("asked: it claims");
        } finally {
            application.post(ENDPOINT + "/workers/self/resume", "{}");
        }
    }

    @Test
    void anUnknownWorkerIsRefused() {
        assertThat(application
                        .post(ENDPOINT + "/workers/" + UUID.randomUUID() + "/drain", "{}")
                        .status())
                .isEqualTo(404);
        assertThat(application.post(ENDPOINT + "/workers/me/drain", "{}").detail())
                .isEqualTo("Expected the worker to be an id of the list of workers, or 'self', but found 'me'.");
        assertThat(application.post(ENDPOINT + "/workers/self/resume", "{}").detail())
                .contains("expected it to be draining, but it is ACTIVE");
    }
}
