package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.operator.RunningApplication.Answer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** S13 over the endpoint, and moving the start of a task. */
@Tag("S13")
@Tag("O2")
class BulkEndpointTests {
    private static final String ENDPOINT = RunningApplication.ENDPOINT;

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.of(
            List.of(),
            "management.endpoints.web.exposure.include=konduitqueue",
            "konduit.queue.endpoint.allow-writes=true",
            "konduit.queue.worker.enabled=false");

    private final RunningApplication application = operated.application();
    private final Rows rows = operated.rows();

    @Test
    void countsUnlessToldToAct() {
        rows.held("pay");
        rows.held("pay");
        rows.held("mail");
        List<String> before = rows.everything();

        JsonNode dry = bulk("release", "{\"type\": \"pay\"}").json();

        assertThat(dry.path("dryRun").asBoolean()).isTrue();
        assertThat(dry.path("matched").asInt()).isEqualTo(2);
        assertThat(dry.path("changed").asInt()).isZero();
        assertThat(dry.path("byStatus").path("HELD").asInt()).isEqualTo(2);
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void actsAndLeavesAnEntryPerBatch() {
        long one = rows.held("pay");
        long other = rows.held("mail");

        JsonNode done = bulk("release", "{\"type\": \"pay\", \"dryRun\": false, \"note\": \"provider is back\"}")
                .json();

        assertThat(done.path("matched").asInt()).isEqualTo(1);
        assertThat(done.path("changed").asInt()).isEqualTo(1);
        assertThat(done.path("skipped").asInt()).isZero();
        assertThat(done.path("more").asBoolean()).isFalse();
        assertThat(rows.status(one)).isEqualTo("PENDING");
        assertThat(rows.status(other)).isEqualTo("HELD");
        JsonNode entry =
                application.get(ENDPOINT + "/audit").json().path("audit").path(0);
        assertThat(entry.path("action").asString()).isEqualTo("RELEASE");
        assertThat(entry.path("actor").asString()).isEqualTo("anonymous");
        assertThat(entry.path("note").asString()).isEqualTo("provider is back");
        assertThat(entry.path("filter").path("type").asString()).isEqualTo("pay");
        assertThat(entry.path("changed").asInt()).isEqualTo(1);
    }

    @Test
    void retriesWhatFailedWithOneKindOfError() {
        long disk = rows.failed("mail");
        long later = rows.failed("mail");
        rows.error(disk, 4, "REFUSED");
        rows.error(later, 4, "FAILED");
        operated.database()
                .execute(
                        "update konduit_task_error set type = 'java.lang.IllegalStateException' where lease_epoch = 4");

        assertThat(changed("retry", "{\"errorType\": \"java.io.IOException\", \"dryRun\": false}"))
                .isEqualTo(1);

        assertThat(rows.status(disk)).isEqualTo("PENDING");
        assertThat(rows.status(later)).as("its newest error is another").isEqualTo("FAILED");
    }

    @Test
    void everyActionWorks() {
        long failed = rows.failed("mail");
        long held = rows.held("pay");
        long waiting = rows.dueLater("mail");
        assertThat(changed("retry", "{\"type\": \"mail\", \"attempts\": 2, \"dryRun\": false}"))
                .isEqualTo(1);
        assertThat(changed("fail", "{\"holdReason\": \"not_reapable\", \"dryRun\": false}"))
                .isEqualTo(1);
        assertThat(changed(
                        "reschedule",
                        "{\"queue\": \"parked\", \"runAt\": \"2030-01-31T08:00:00Z\", \"dryRun\": false}"))
                .isEqualTo(2);
        assertThat(changed("cancel", "{\"all\": true, \"status\": \"PENDING\", \"limit\": 1, \"dryRun\": false}"))
                .isEqualTo(1);
        assertThat(rows.status(failed)).isEqualTo("CANCELLED");
        assertThat(rows.status(held)).isEqualTo("FAILED");
        assertThat(rows.status(waiting)).isEqualTo("PENDING");
    }

    @Test
    void whatCannotBeMeantIsRefusedAndChangesNothing() {
        rows.held("pay");
        List<String> before = rows.everything();
        refused("release", "{\"dryRun\": false}", 400, "Set 'all' to match every task.");
        refused("release", "{\"status\": \"nonsense\"}", 400, "Expected 'status' to be one of [PENDING");
        refused(
                "release",
                "{\"type\": \"pay\", \"dryRun\": \"perhaps\"}",
                400,
                "Expected 'dryRun' to be true or false");
        refused("release", "{\"createdAfter\": \"yesterday\"}", 400, "Expected 'createdAfter' to be a time such as");
        refused("retry", "{\"type\": \"pay\", \"attempts\": 0}", 400, "more attempts");
        refused("reschedule", "{\"type\": \"pay\"}", 400, "Expected either 'runAt' or 'delay', but found neither.");
        refused("explode", "{\"all\": true}", 404, "bulk/release");
        assertThat(application
                        .post(ENDPOINT + "/tasks/release", "{\"all\": true, \"dryRun\": false}")
                        .status())
                .as("an id that was forgotten is no bulk action")
                .isEqualTo(404);
        assertThat(rows.everything()).isEqualTo(before);
    }

    /** A shell variable that is not set must not turn "those of this queue" into "those of all queues". */
    @Test
    void anEmptyConditionIsRefusedAndChangesNothing() {
        rows.held("pay");
        rows.failed("mail");
        List<String> before = rows.everything();
        for (String condition : List.of("queue", "type", "holdReason", "errorType", "createdAfter", "createdBefore")) {
            refused(
                    "release",
                    "{\"status\": \"HELD\", \"%s\": \" \", \"dryRun\": false}".formatted(condition),
                    400,
                    "Expected '" + condition + "' to have a value, but it is empty.");
        }
        for (String condition : List.of("finishedAfter", "finishedBefore")) {
            refused(
                    "retry",
                    "{\"type\": \"mail\", \"%s\": \"\", \"dryRun\": false}".formatted(condition),
                    400,
                    "Expected '" + condition + "' to have a value, but it is empty.");
        }
        refused(
                "cancel",
                "{\"type\": \"pay\", \"status\": \"\", \"dryRun\": false}",
                400,
                "Expected 'status' to have a value");
        refused(
                "cancel",
                "{\"type\": \"pay\", \"limit\": \"\", \"dryRun\": false}",
                400,
                "Expected 'limit' to have a value");
        refused("cancel", "{\"queue\": [], \"type\": \"pay\", \"dryRun\": false}", 400, "");
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    void withoutWritesOnlyDryRunsAreAllowed() {
        rows.held("pay");
        List<String> before = rows.everything();
        try (RunningApplication readOnly = RunningApplication.start(
                operated.database(),
                List.of(),
                "management.endpoints.web.exposure.include=konduitqueue",
                "konduit.queue.worker.enabled=false")) {
            assertThat(readOnly.post(ENDPOINT + "/bulk/release", "{\"all\": true}")
                            .status())
                    .isEqualTo(200);
            assertThat(readOnly.post(ENDPOINT + "/bulk/release", "{\"all\": true, \"dryRun\": false}")
                            .status())
                    .isEqualTo(403);
            assertThat(rows.everything()).isEqualTo(before);
        }
    }

    @Test
    void theStartOfAWaitingTaskIsMoved() {
        long id = rows.pending("mail");
        JsonNode story = application
                .post(
                        ENDPOINT + "/tasks/" + id + "/reschedule",
                        "{\"runAt\": \"2099-01-31T08:00:00Z\", \"note\": \"later\"}")
                .json();
        assertThat(story.path("task").path("runAt").asString()).isEqualTo("2099-01-31T08:00:00Z");
        assertThat(story.path("incidents").path(0).path("action").asString()).isEqualTo("RESCHEDULED");
        assertThat(application
                        .post(ENDPOINT + "/tasks/" + id + "/reschedule", "{\"delay\": \"0s\"}")
                        .json()
                        .path("explanation")
                        .asString())
                .startsWith("It has been due for");
        assertThat(application
                        .post(ENDPOINT + "/tasks/" + id + "/reschedule", "{\"delay\": \"soon\"}")
                        .detail())
                .startsWith("Expected 'delay' to be a duration");
        assertThat(application
                        .post(ENDPOINT + "/tasks/" + rows.held("pay") + "/reschedule", "{\"delay\": \"1h\"}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void theNoteOfAReclaimIsKept() {
        rows.running("mail", UUID.randomUUID(), "-9 s");
        // a server that has just started may have been away: the reaper waits a round
        await().atMost(Duration.ofSeconds(30))
                .until(() -> application
                                .post(ENDPOINT + "/reclaim", "{\"dryRun\": false, \"note\": \"node was lost\"}")
                                .json()
                                .path("reclaimed")
                                .asInt()
                        == 1);
        JsonNode entry =
                application.get(ENDPOINT + "/audit").json().path("audit").path(0);
        assertThat(entry.path("action").asString()).isEqualTo("RECLAIM");
        assertThat(entry.path("note").asString()).isEqualTo("node was lost");
    }

    private int changed(String action, String body) {
        return bulk(action, body).json().path("changed").asInt();
    }

    private Answer bulk(String action, String body) {
        Answer answer = application.post(ENDPOINT + "/bulk/" + action, body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer;
    }

    private void refused(String action, String body, int status, String detail) {
        Answer answer = application.post(ENDPOINT + "/bulk/" + action, body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.detail()).contains(detail);
    }
}
