package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.Overlap;
import io.konduit.queue.Recurring;
import io.konduit.queue.Schedule;
import io.konduit.queue.Schedules;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TaskRequest;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** P7 over the endpoint, and what else operators see of schedules. */
@Timeout(120)
class ScheduleEndpointTests {
    private static final String ENDPOINT = RunningApplication.ENDPOINT;
    private static final String SCHEDULES = ENDPOINT + "/schedules";

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.of(
            List.of(Reports.class),
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always",
            "report.zone=Europe/Berlin",
            "konduit.queue.endpoint.allow-writes=true");

    private final RunningApplication application = operated.application();

    static class Reports {
        @JobHandler("nightly")
        @Recurring(cron = "0 30 2 * * *", zone = "${report.zone}", name = "report")
        void nightly(TaskContext task) {}

        @JobHandler("tick")
        @Recurring(every = "1s", overlap = Overlap.ALLOW)
        void tick(TaskContext task) {}

        @JobHandler("off")
        @Recurring(cron = "${report.off:-}")
        void off() {}

        @JobHandler("by-tenant")
        void byTenant(Integer tenant) {}
    }

    @BeforeEach
    void isDeclared() {
        await().until(() -> application.bean(Schedules.class).find("report").isPresent());
    }

    @Test
    @Tag("P1")
    @Tag("P6")
    void listsWhatHandlersDeclareWithTheirPlaceholdersResolved() {
        application
                .bean(Schedules.class)
                .put(Schedule.of("tenant-7", TaskRequest.of("by-tenant", 7)).every(Duration.ofHours(6)));
        JsonNode schedules = application.get(SCHEDULES).json().path("schedules");

        assertThat(schedules.size()).isEqualTo(3);
        JsonNode report = schedules.path(0);
        assertThat(report.path("name").asString()).isEqualTo("report");
        assertThat(report.path("type").asString()).isEqualTo("nightly");
        assertThat(report.path("cron").asString()).isEqualTo("0 30 2 * * *");
        assertThat(report.path("zone").asString()).isEqualTo("Europe/Berlin");
        assertThat(report.path("declared").asBoolean()).isTrue();
        assertThat(report.path("nextAt").asString()).contains("T0").endsWith("30:00Z");
        assertThat(schedules.path(1).path("name").asString()).isEqualTo("tenant-7");
        assertThat(schedules.path(1).path("every").asString()).isEqualTo("6h");
        assertThat(schedules.path(1).path("declared").asBoolean()).isFalse();
        JsonNode page = application.get(SCHEDULES + "?size=1&after=report").json();
        assertThat(page.path("schedules").path(0).path("name").asString()).isEqualTo("tenant-7");
        assertThat(page.path("next").asString()).isEqualTo("tenant-7");
    }

    @Test
    @Tag("P7")
    @Tag("O2")
    void pauseResumeAndRunNowAreAudited() {
        JsonNode paused = application
                .post(SCHEDULES + "/report/pause", "{\"note\": \"year end\"}")
                .json();
        assertThat(paused.path("schedule").path("pausedBecause").asString()).isEqualTo("OPERATOR");
        assertThat(paused.path("schedule").path("pauseNote").asString()).isEqualTo("year end");
        assertThat(application.post(SCHEDULES + "/report/pause", "{}").status()).isEqualTo(409);

        JsonNode run = application.post(SCHEDULES + "/report/run-now", "{}").json();
        long task = run.path("task").asLong();
        assertThat(task).isPositive();
        JsonNode story = application.get(ENDPOINT + "/tasks/" + task).json();
        assertThat(story.path("schedule").asString()).isEqualTo("report");
        assertThat(story.path("scheduledFor").asString()).isNotEmpty();
        assertThat(story.path("explanation").asString()).contains("Schedule 'report' made it for 20");

        JsonNode resumed = application.post(SCHEDULES + "/report/resume", "{}").json();
        assertThat(resumed.path("schedule").path("pausedBecause").asString("")).isEmpty();
        JsonNode firing =
                application.get(SCHEDULES + "/report").json().path("firings").path(0);
        assertThat(firing.path("outcome").asString()).isEqualTo("BY_HAND");
        assertThat(firing.path("task").asLong()).isEqualTo(task);
        assertThat(firing.path("actor").asString()).isEqualTo("anonymous");
        JsonNode audit = application.get(ENDPOINT + "/audit").json().path("audit");
        assertThat(audit.path(0).path("action").asString()).isEqualTo("RESUME_SCHEDULE");
        assertThat(audit.path(0).path("schedule").asString()).isEqualTo("report");
        assertThat(audit.path(1).path("action").asString()).isEqualTo("RUN_SCHEDULE");
        assertThat(audit.path(2).path("action").asString()).isEqualTo("PAUSE_SCHEDULE");
    }

    @Test
    @Tag("P7")
    void unknownSchedulesAndActionsAreNotFound() {
        assertThat(application.get(SCHEDULES + "/nope").status()).isEqualTo(404);
        assertThat(application.post(SCHEDULES + "/nope/run-now", "{}").status()).isEqualTo(404);
        assertThat(application.post(SCHEDULES + "/report/erase", "{}").text()).contains("schedules/{name}/run-now");
    }

    /** From the declaration to the run, in a real application. */
    @Test
    @Tag("P8")
    @Tag("P9")
    @Tag("O4")
    @Tag("O5")
    void declaredScheduleFiresAndIsMeasured() {
        await().until(() ->
                application.get(SCHEDULES + "/tick").json().path("firings").size() >= 2);
        MeterRegistry meters = application.bean(MeterRegistry.class);
        await().untilAsserted(() -> assertThat(meters.get("konduit.queue.schedules.lateness")
                        .tag("type", "tick")
                        .timer()
                        .count())
                .isPositive());
        assertThat(meters.get("konduit.queue.schedules.skipped")
                        .tags("type", "nightly", "reason", "overlap")
                        .counter()
                        .count())
                .isZero();
        assertThat(meters.get("konduit.queue.schedules.dropped")
                        .tags("type", "nightly", "reason", "missed")
                        .counter()
                        .count())
                .isZero();
        assertThat(application.get("/actuator/health").status()).isEqualTo(200);
    }
}
