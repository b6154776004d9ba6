package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.admin.PayloadRedaction;
import io.konduit.queue.autoconfigure.endpoint.KonduitQueueEndpoint;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.JsonNode;

/** Payloads over HTTP for those who may see them, and for nobody else. */
@Tag("O3")
@Tag("O7")
class ShownPayloadTests {
    private static final String ENDPOINT = RunningApplication.ENDPOINT;

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.secured(
            List.of(Security.class),
            "management.endpoints.web.exposure.include=konduitqueue",
            "konduit.queue.endpoint.show-payloads=when-authorized",
            "konduit.queue.endpoint.roles=REVIEWER",
            "konduit.queue.endpoint.allow-writes=true",
            "konduit.queue.worker.enabled=false");

    private final RunningApplication application = operated.application();
    private final Rows rows = operated.rows();

    @Configuration(proxyBeanMethods = false)
    static class Security {
        @Bean
        SecurityFilterChain everything(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return OperatedApplication.adaAndGuest("REVIEWER");
        }

        @Bean
        PayloadRedaction hideCheckpoints() {
            return new PayloadRedaction() {
                @Override
                public String redact(String type, String json) {
                    return json.replaceAll("\"at\": \"[^\"]*\"", "\"at\": \"***\"");
                }

                @Override
                public String redactMessage(String type, String message) {
                    return message.replace(Rows.CANARY, "the secret");
                }
            };
        }
    }

    @Test
    void aReviewerSeesPayloadAndCheckpointAsTheRedactionLeavesThem() {
        long id = rows.held("pay");
        for (JsonNode contents : List.of(
                application
                        .getAs("ada", ENDPOINT + "/held")
                        .json()
                        .path("held")
                        .path(0)
                        .path("contents"),
                application.getAs("ada", ENDPOINT + "/tasks/" + id).json().path("contents"))) {
            assertThat(contents.path("payload").path("secret").asString()).isEqualTo(Rows.CANARY);
            assertThat(contents.path("checkpoint").path("at").asString()).isEqualTo("***");
            assertThat(contents.has("note")).isFalse();
        }
    }

    @Test
    void aReviewerSeesMessagesAsTheRedactionLeavesThem() {
        JsonNode error = application
                .getAs("ada", ENDPOINT + "/tasks/" + rows.failed("mail"))
                .json()
                .path("errors")
                .path(0);
        assertThat(error.path("message").asString()).isEqualTo("disk full of the secret");
    }

    @Test
    void aFinishedTaskShowsItsPayload() {
        JsonNode story = application
                .getAs("ada", ENDPOINT + "/tasks/" + rows.completed("mail"))
                .json();
        assertThat(story.path("contents").path("payload").path("secret").asString())
                .isEqualTo(Rows.CANARY);
    }

    @Test
    void nobodyElseSeesThem() {
        long held = rows.held("pay");
        long failed = rows.failed("mail");
        for (String path : List.of("/held", "/tasks/" + held, "/tasks/" + failed, "/tasks")) {
            assertThat(application.getAs("guest", ENDPOINT + path).text())
                    .as(path)
                    .contains("\"type\"")
                    .doesNotContain("canary", "disk full", "\"payload\"");
            assertThat(application.get(ENDPOINT + path).text())
                    .as(path)
                    .contains("\"type\"")
                    .doesNotContain("canary", "disk full", "\"payload\"");
        }
        assertThat(application
                        .get(ENDPOINT + "/tasks/" + held)
                        .json()
                        .path("contents")
                        .path("note")
                        .asString())
                .contains("konduit.queue.endpoint.show-payloads");
    }

    @Test
    void theAnswerToAnActionHasNoPayload() {
        long held = rows.held("pay");
        assertThat(application
                        .postAs("ada", ENDPOINT + "/tasks/" + held + "/release", "{}")
                        .text())
                .contains("PENDING")
                .doesNotContain("canary");
    }

    @Test
    void overJmxNobodyIsAuthorized() {
        long held = rows.held("pay");
        KonduitQueueEndpoint endpoint = application.bean(KonduitQueueEndpoint.class);
        assertThat(endpoint.show("tasks", Long.toString(held)).toString()).doesNotContain("canary");
        assertThat(endpoint.list("held", null, null, null, null, null, null, null, null, null)
                        .toString())
                .contains("contents=null");
    }

    @Test
    void aLargePayloadIsShownOnItsOwnPage() {
        long id = rows.held("pay");
        rows.update(
                id,
                "payload = (select jsonb_build_object('text', string_agg(md5(n::text), '')) from generate_series(1, 2000) n)");
        JsonNode listed = application
                .getAs("ada", ENDPOINT + "/held")
                .json()
                .path("held")
                .path(0)
                .path("contents");
        assertThat(listed.has("payload")).isFalse();
        assertThat(listed.path("note").asString()).contains("tasks/" + id);
        assertThat(application
                        .getAs("ada", ENDPOINT + "/tasks/" + id)
                        .json()
                        .path("contents")
                        .path("payload")
                        .path("text")
                        .asString())
                .hasSize(64_000);
    }

    @Test
    void aLargeCheckpointIsShownOnItsOwnPage() {
        long id = rows.held("pay");
        rows.update(
                id,
                "checkpoint = (select jsonb_build_object('text', string_agg(md5(n::text), '')) from generate_series(1, 2000) n)");
        JsonNode listed = application
                .getAs("ada", ENDPOINT + "/held")
                .json()
                .path("held")
                .path(0)
                .path("contents");
        assertThat(listed.has("checkpoint")).isFalse();
        assertThat(listed.path("note").asString()).contains("tasks/" + id);
    }

    /** The error of a run that had lost its lease is none of the task's. */
    @Test
    void theInboxShowsNoErrorThatWasRefused() {
        long id = rows.held("pay");
        rows.error(id, 2, "REFUSED");
        JsonNode held = application.get(ENDPOINT + "/held").json().path("held").path(0);
        assertThat(held.path("id").asLong()).isEqualTo(id);
        assertThat(held.has("lastErrorClass")).isFalse();
        JsonNode story = application.get(ENDPOINT + "/tasks/" + id).json();
        assertThat(story.path("errors")).as("as evidence").hasSize(1);
        assertThat(story.has("lastErrorClass")).isFalse();
    }

    @Test
    void theInboxShowsTheKeysToLookFor() {
        long id = rows.held("pay");
        rows.update(id, "unique_key = 'order-7', last_checkpoint_at = clock_timestamp()");
        rows.error(id, 1, "INTERRUPTED");
        JsonNode held = application.get(ENDPOINT + "/held").json().path("held").path(0);
        JsonNode task = application.get(ENDPOINT + "/tasks/" + id).json().path("task");
        assertThat(held.path("uniqueKey").asString()).isEqualTo("order-7");
        assertThat(held.path("idempotencyKey").asString())
                .hasSize(36)
                .isEqualTo(task.path("idempotencyKey").asString());
        assertThat(held.path("attempts").asInt()).isEqualTo(1);
        assertThat(held.has("lastCheckpointAt")).isTrue();
        assertThat(held.path("lastErrorClass").asString()).isEqualTo("java.io.IOException");
        assertThat(task.path("uniqueKey").asString()).isEqualTo("order-7");
        assertThat(task.has("lastCheckpointAt")).isTrue();
    }
}
