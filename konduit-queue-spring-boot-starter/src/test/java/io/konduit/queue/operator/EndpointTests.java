package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.operator.RunningApplication.Answer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The endpoint of a running application over HTTP, without Spring Security and with writes allowed. */
class EndpointTests {
    private static final String ENDPOINT = RunningApplication.ENDPOINT;
    private static final String NOTHING = "{}";

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.of(
            List.of(GreetJobs.class),
            "spring.application.name=shop",
            "management.endpoints.web.exposure.include=konduitqueue,health",
            "management.endpoint.health.show-details=always",
            "konduit.queue.endpoint.allow-writes=true",
            "konduit.queue.reaper-interval=1h");

    private final RunningApplication application = operated.application();
    private final Rows rows = operated.rows();

    /** The leases of both last for an hour. Only one of the workers had a session that ended. */
    @Test
    @Tag("K5")
    void incidentsTellWhetherTheSessionOrTheLeaseToldOfALossAndAfterHowLong() {
        UUID killed = rows.silentWorker("killed", Rows.QUEUE);
        rows.jdbc()
                .sql(
                        "update konduit_worker set witness = 42, witness_server = pg_postmaster_start_time(),"
                                + " witness_grace_ms = 5000, witness_gone_at = clock_timestamp() - interval '20 s' where id = :id")
                .param("id", killed)
                .update();
        long known = rows.running("mail", killed, "1 h");
        long expired = rows.running("mail", rows.silentWorker("expired", Rows.QUEUE), "-3 s");

        await().atMost(Duration.ofSeconds(20)).until(() -> rows.status(known).equals("PENDING"));

        JsonNode reclaimed = story(known).path("incidents").path(0);
        assertThat(reclaimed.path("action").asString()).isEqualTo("RECLAIMED");
        JsonNode gone = story(known).path("incidents").path(1);
        assertThat(gone.path("classification").asString()).isEqualTo("WORKER_GONE");
        assertThat(gone.path("detectionDelayMillis").asLong()).isBetween(20_000L, 120_000L);
        assertThat(Instant.parse(gone.path("lastBeatAt").asString()))
                .isBefore(Instant.parse(gone.path("witnessGoneAt").asString()));
        assertThat(rows.status(expired)).isEqualTo("PENDING");
        assertThat(story(expired).path("incidents").size()).isEqualTo(1);
        JsonNode zombie = story(expired).path("incidents").path(0);
        assertThat(zombie.path("classification").asString()).isEqualTo("ZOMBIE");
        assertThat(zombie.path("detectionDelayMillis").asLong()).isBetween(3_000L, 120_000L);
        assertThat(zombie.hasNonNull("witnessGoneAt")).isFalse();
    }

    @Test
    @Tag("K5")
    void healthAndTheListOfWorkersTellWhatWouldFindACrashOfThisInstance() {
        await().untilAsserted(() -> {
            JsonNode detection = json(application.get("/actuator/health/konduitQueue"))
                    .path("details")
                    .path("crashDetection");
            assertThat(detection.path("by").asString()).isEqualTo("witness");
            assertThat(detection.path("withinSeconds").asInt()).isEqualTo(10);
            assertThat(named(json(application.get(ENDPOINT + "/workers")).path("workers"), "shop")
                            .path("witness")
                            .asBoolean())
                    .isTrue();
        });
    }

    @Test
    @Tag("O1")
    void overviewTellsWhatToLookAtFirst() {
        rows.pending("mail");
        rows.pending("mail");
        rows.held("pay");
        rows.failed("mail");
        rows.silentWorker("gone", Rows.QUEUE);
        long often = rows.held("pay");
        rows.update(often, "zombie_count = 4");
        application.post(ENDPOINT + "/queues/parked/pause", "{\"note\": \"bank is down\"}");

        JsonNode overview = json(application.get(ENDPOINT));

        JsonNode parked = named(overview.path("queues"), Rows.QUEUE);
        assertThat(parked.path("pending").asInt()).isEqualTo(2);
        assertThat(parked.path("pendingIsEstimate").asBoolean()).isFalse();
        assertThat(parked.path("held").asInt()).isEqualTo(2);
        assertThat(parked.path("failed").asInt()).isEqualTo(1);
        assertThat(parked.path("oldestDueSeconds").asDouble()).isBetween(89.0, 300.0);
        assertThat(parked.path("paused").path("pausedBy").asString()).isEqualTo("anonymous");
        assertThat(parked.path("paused").path("note").asString()).isEqualTo("bank is down");
        assertThat(parked.path("activeWorkers").asInt()).isZero();
        assertThat(named(overview.path("queues"), "default")
                        .path("activeWorkers")
                        .asInt())
                .isEqualTo(1);
        assertThat(Instant.parse(overview.path("readAt").asString())).isAfter(Instant.EPOCH);
        assertThat(overview.path("held").asInt()).isEqualTo(2);
        assertThat(overview.path("workers").path("active").asInt()).isEqualTo(1);
        assertThat(overview.path("workers").path("stale").asInt()).isEqualTo(1);
        assertThat(overview.path("workers").path("slots").asInt()).isEqualTo(10);
        assertThat(overview.path("zombiesAboveLimit").asInt()).isEqualTo(1);
        assertThat(overview.path("zombieLimit").asInt()).isEqualTo(3);
        assertThat(overview.path("oldestDueSeconds").asDouble()).isGreaterThan(89);
        assertThat(overview.path("pausedQueues").toString()).isEqualTo("[\"parked\"]");
    }

    /** The one that would mark it may be the very one that fell silent. */
    @Test
    @Tag("H2")
    @Tag("O1")
    void aWorkerIsShownStaleAsSoonAsItIsSilentForTooLong() {
        UUID silent = rows.silentWorker("silent", Rows.QUEUE);

        assertThat(json(application.get(ENDPOINT + "/workers")).path("workers")).anySatisfy(worker -> {
            assertThat(worker.path("id").asString()).isEqualTo(silent.toString());
            assertThat(worker.path("status").asString()).isEqualTo("STALE");
        });
        JsonNode overview = json(application.get(ENDPOINT));
        assertThat(overview.path("workers").path("stale").asInt()).isEqualTo(1);
        assertThat(explanation(rows.running("mail", silent, "5 min"))).contains("has sent no heartbeat for a while");
        assertThat(explanation(rows.pending("mail"))).contains("no active worker serves");
    }

    @Test
    @Tag("O1")
    void overviewNamesTheLeader() {
        String worker = json(application.get(ENDPOINT + "/workers"))
                .path("workers")
                .path(0)
                .path("id")
                .asString();
        await().untilAsserted(() -> {
            JsonNode overview = json(application.get(ENDPOINT));
            assertThat(overview.path("leader").asString()).isEqualTo(worker);
            assertThat(overview.path("lastReaper").asString()).isEqualTo(worker);
            assertThat(overview.path("secondsSinceReaper").asDouble()).isBetween(0.0, 300.0);
        });
    }

    @Test
    @Tag("O1")
    @Tag("H1")
    void workersAreListedWithAllTheyRegisteredWith() {
        JsonNode worker =
                json(application.get(ENDPOINT + "/workers")).path("workers").path(0);
        assertThat(worker.path("name").asString()).isEqualTo("shop");
        assertThat(worker.path("pid").asLong())
                .isEqualTo(ProcessHandle.current().pid());
        assertThat(worker.path("status").asString()).isEqualTo("ACTIVE");
        assertThat(worker.path("concurrency").asInt()).isEqualTo(10);
        assertThat(worker.path("queues").toString()).isEqualTo("[\"default\"]");
        assertThat(UUID.fromString(worker.path("id").asString())).isNotNull();
        for (String field : List.of("host", "version", "startedAt", "lastBeatAt", "silentSeconds")) {
            assertThat(worker.has(field)).as(field).isTrue();
        }
    }

    @Test
    @Tag("O1")
    void aDueTaskThatNobodyServesSaysSo() {
        assertThat(explanation(rows.pending("mail")))
                .matches("It has been due for \\d+ s, but no active worker serves queue 'parked'\\."
                        + " Start one, or add the queue to 'konduit.queue.worker.queues'\\.");
    }

    @Test
    @Tag("O1")
    void aDueTaskWithoutAFreeSlotSaysSo() {
        UUID busy = rows.worker("busy", Rows.QUEUE);
        rows.running("mail", busy, "5 min");
        assertThat(explanation(rows.pending("mail")))
                .matches("It has been due for \\d+ s and waits for a free slot"
                        + " \\(1 of 4 slots of 1 active workers on queue 'parked' are busy\\)\\."
                        + " If slots stay free, no worker has a handler for type 'mail'\\.");
    }

    @Test
    @Tag("O1")
    void aSuspectSaysThatItRunsAlone() {
        rows.worker("idle", Rows.QUEUE);
        long suspect = rows.pending("mail");
        rows.update(suspect, "zombie_count = 2");
        assertThat(explanation(suspect)).contains("it has lost 2 workers, so it runs alone");
    }

    @Test
    @Tag("O1")
    void aTaskOfTheFutureSaysWhenItIsDue() {
        assertThat(explanation(rows.dueLater("mail"))).matches("It is due in (600|599) s, at .*Z\\.");
    }

    @Test
    @Tag("O1")
    void aTaskOfAPausedQueueSaysWhoPausedIt() {
        long id = rows.pending("mail");
        application.post(ENDPOINT + "/queues/parked/pause", NOTHING);
        assertThat(explanation(id))
                .matches("Its queue 'parked' has been paused since .*Z by anonymous\\."
                        + " It runs after somebody resumes the queue\\.");
    }

    @Test
    @Tag("O1")
    void aRunningTaskNamesItsWorkerAndLease() {
        UUID worker = rows.worker("shop-2", Rows.QUEUE);
        long id = rows.running("mail", worker, "5 min");
        JsonNode story = story(id);
        assertThat(Instant.parse(story.path("readAt").asString())).isAfter(Instant.EPOCH);
        assertThat(story.path("explanation").asString())
                .matches("It runs on worker 'shop-2' \\(" + worker + " on host-1\\) since .*Z, lease until .*Z\\.");
        assertThat(story.path("lease").path("worker").asString()).isEqualTo(worker.toString());
        assertThat(story.path("lease").path("epoch").asInt()).isEqualTo(1);
    }

    @Test
    @Tag("O1")
    @Tag("H3")
    void aRunningTaskOfAStaleWorkerSaysThatItStaysItsOwn() {
        UUID worker = rows.silentWorker("shop-2", Rows.QUEUE);
        assertThat(explanation(rows.running("mail", worker, "5 min")))
                .contains("has sent no heartbeat for a while; it keeps the task until the lease expires");
    }

    @Test
    @Tag("O1")
    void anOrphanSaysThatTheReaperTakesItBack() {
        assertThat(explanation(rows.running("mail", UUID.randomUUID(), "-9 s")))
                .matches("Worker .* \\(not registered any more\\) has lost it: its lease ended \\d+ s ago\\."
                        + " The reaper takes it back with its next pass\\.");
    }

    @Test
    @Tag("O1")
    void endedTasksSayHowTheyEnded() {
        assertThat(explanation(rows.failed("mail")))
                .matches(
                        "It failed permanently at .*Z after 3 of 3 attempts\\. It runs again when a person retries it\\.");
        assertThat(explanation(rows.completed("mail"))).matches("It was completed at .*Z after 1 of 3 attempts\\.");
        long cancelled = rows.pending("mail");
        application.post(ENDPOINT + "/tasks/" + cancelled + "/cancel", NOTHING);
        assertThat(explanation(cancelled)).matches("It was cancelled at .*Z and does not run again\\.");
    }

    @Test
    @Tag("O1")
    void aFailedTaskShowsTheClassOfItsErrorAndNotTheMessage() {
        Answer answer = application.get(ENDPOINT + "/tasks/" + rows.failed("mail"));
        assertThat(answer.json().path("lastErrorClass").asString()).isEqualTo("java.io.IOException");
        JsonNode errors = answer.json().path("errors");
        assertThat(errors.size()).isEqualTo(3);
        JsonNode last = errors.path(0);
        assertThat(last.path("attempt").asInt()).isEqualTo(3);
        assertThat(last.path("type").asString()).isEqualTo("java.io.IOException");
        assertThat(last.path("outcome").asString()).isEqualTo("FAILED");
        assertThat(last.path("stack").asString()).isEqualTo("java.io.IOException\n    at x.Y.z(Y.java:1)");
        assertThat(last.path("at").asString()).endsWith("Z");
        assertThat(last.has("message")).isFalse();
        assertThat(answer.text()).doesNotContain("disk full", Rows.CANARY);
        JsonNode listed = application
                .get(ENDPOINT + "/tasks?status=FAILED")
                .json()
                .path("tasks")
                .path(0);
        assertThat(listed.path("lastErrorClass").asString()).isEqualTo("java.io.IOException");
    }

    @Test
    @Tag("O1")
    @Tag("O2")
    @Tag("L13")
    void aHeldTaskIsReviewedAndReleased() {
        long id = rows.held("pay");

        JsonNode inbox = json(application.get(ENDPOINT + "/held"));
        JsonNode held = inbox.path("held").path(0);
        assertThat(held.path("id").asLong()).isEqualTo(id);
        assertThat(held.path("reason").asString()).isEqualTo("NOT_REAPABLE");
        assertThat(held.has("previousOwner")).isTrue();
        assertThat(explanation(id))
                .isEqualTo("It is held because its worker was lost and it is not reapable: it must not run twice"
                        + " without review. It waits until a person releases, fails or cancels it.");

        JsonNode after =
                json(application.post(ENDPOINT + "/tasks/" + id + "/release", "{\"note\": \"bank says not booked\"}"));

        assertThat(after.path("task").path("status").asString()).isEqualTo("PENDING");
        JsonNode audit = after.path("incidents").path(0);
        assertThat(audit.path("action").asString()).isEqualTo("RELEASED");
        assertThat(audit.path("actor").asString()).isEqualTo("anonymous");
        assertThat(audit.path("note").asString()).isEqualTo("bank says not booked");
        assertThat(after.path("incidents").path(1).path("action").asString()).isEqualTo("HELD");
        assertThat(json(application.get(ENDPOINT + "/held")).path("held").size())
                .isZero();
    }

    @Test
    @Tag("O2")
    void aHeldTaskIsFailed() {
        long id = rows.held("pay");
        JsonNode after = json(application.post(ENDPOINT + "/tasks/" + id + "/fail", "{\"note\": \"booked\"}"));
        assertThat(after.path("task").path("status").asString()).isEqualTo("FAILED");
        assertThat(after.path("incidents").path(0).path("actor").asString()).isEqualTo("anonymous");
    }

    @Test
    @Tag("O2")
    void aFailedTaskIsRetriedWithMoreAttempts() {
        long id = rows.failed("mail");
        JsonNode after = json(application.post(ENDPOINT + "/tasks/" + id + "/retry", "{\"attempts\": 2}"));
        assertThat(after.path("task").path("status").asString()).isEqualTo("PENDING");
        assertThat(after.path("task").path("maxAttempts").asInt()).isEqualTo(5);
        assertThat(after.path("incidents").path(0).path("action").asString()).isEqualTo("RETRIED");
    }

    @Test
    @Tag("O2")
    void aTaskIsCancelled() {
        long id = rows.pending("mail");
        JsonNode after = json(application.post(ENDPOINT + "/tasks/" + id + "/cancel", NOTHING));
        assertThat(after.path("task").path("status").asString()).isEqualTo("CANCELLED");
        assertThat(after.path("incidents").path(0).path("action").asString()).isEqualTo("CANCELLED");
    }

    @Test
    @Tag("O2")
    void reclaimOnlyListsUnlessToldOtherwise() {
        long orphan = rows.running("mail", UUID.randomUUID(), "-9 s");
        long kept = rows.running("pay", UUID.randomUUID(), "-8 s");
        rows.update(kept, "reapable = false");
        rows.running("mail", UUID.randomUUID(), "5 min");
        List<String> before = rows.everything();

        JsonNode dry = json(application.post(ENDPOINT + "/reclaim", NOTHING));

        assertThat(dry.path("dryRun").asBoolean()).isTrue();
        assertThat(dry.path("orphans").size()).isEqualTo(2);
        assertThat(dry.path("orphans").path(0).path("id").asLong()).isEqualTo(orphan);
        assertThat(dry.path("orphans").path(0).path("wouldBecome").asString()).isEqualTo("PENDING");
        assertThat(dry.path("orphans").path(1).path("wouldBecome").asString()).isEqualTo("HELD (NOT_REAPABLE)");
        assertThat(rows.everything()).isEqualTo(before);

        // nothing is taken back while the server has only just come up
        AtomicReference<JsonNode> real = new AtomicReference<>();
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            real.set(json(application.post(ENDPOINT + "/reclaim", "{\"dryRun\": false}")));
            return real.get().path("reclaimed").asInt() > 0;
        });

        assertThat(real.get().path("reclaimed").asInt()).isEqualTo(1);
        assertThat(real.get().path("held").asInt()).isEqualTo(1);
        assertThat(rows.status(orphan)).isEqualTo("PENDING");
        assertThat(rows.status(kept)).isEqualTo("HELD");
        assertThat(story(orphan).path("incidents").path(0).path("actor").asString())
                .isEqualTo("anonymous");
    }

    @Test
    @Tag("O2")
    @Tag("S13")
    @Tag("C3")
    void cleaningUpAbandonedLeasesOnlyCountsUnlessToldOtherwise() {
        long abandoned = rows.running("import", UUID.randomUUID(), "5 min");
        long kept = rows.running("pay", UUID.randomUUID(), "5 min");
        long busy = rows.running("import", UUID.randomUUID(), "5 min");
        rows.update(abandoned, "locked_at = clock_timestamp() - interval '8 days'");
        rows.update(kept, "locked_at = clock_timestamp() - interval '8 days', reapable = false");
        rows.update(
                busy,
                "locked_at = clock_timestamp() - interval '8 days', last_checkpoint_at = clock_timestamp() - interval '1 day'");
        List<String> before = rows.everything();

        JsonNode dry = json(application.post(ENDPOINT + "/clean-abandoned", "{\"size\": 1}"));

        assertThat(dry.path("dryRun").asBoolean()).isTrue();
        assertThat(dry.path("count").asInt()).isEqualTo(2);
        assertThat(dry.path("abandoned").size()).isEqualTo(1);
        assertThat(dry.path("abandoned").path(0).path("id").asLong()).isEqualTo(abandoned);
        assertThat(dry.path("abandoned").path(0).path("wouldBecome").asString()).isEqualTo("PENDING");
        assertThat(rows.everything()).isEqualTo(before);

        JsonNode real = json(application.post(ENDPOINT + "/clean-abandoned", "{\"dryRun\": false}"));

        assertThat(real.path("reclaimed").asInt()).isEqualTo(1);
        assertThat(real.path("held").asInt()).isEqualTo(1);
        assertThat(rows.status(abandoned)).isEqualTo("PENDING");
        assertThat(rows.status(kept)).isEqualTo("HELD");
        assertThat(rows.status(busy)).isEqualTo("RUNNING");
        JsonNode incident = story(abandoned).path("incidents").path(0);
        assertThat(incident.path("classification").asString()).isEqualTo("ABANDONED");
        assertThat(incident.path("actor").asString()).isEqualTo("anonymous");
        assertThat(application
                        .bean(MeterRegistry.class)
                        .get("konduit.queue.abandoned")
                        .tags("type", "import")
                        .counter()
                        .count())
                .isEqualTo(1);
    }

    @Test
    @Tag("O2")
    void aPausedQueueIsNotServedUntilItIsResumed() {
        TaskQueue queue = application.bean(TaskQueue.class);
        assertThat(application
                        .post(ENDPOINT + "/queues/default/pause", "{\"note\": \"migration\"}")
                        .status())
                .isEqualTo(200);

        TaskId id = queue.enqueue("greet", "Ada");
        await().during(Duration.ofSeconds(1)).atMost(Duration.ofSeconds(5)).until(() -> rows.status(id.value())
                .equals("PENDING"));
        application.post(ENDPOINT + "/queues/default/resume", NOTHING);
        await().atMost(Duration.ofSeconds(2))
                .until(() -> rows.status(id.value()).equals("COMPLETED"));

        JsonNode decisions = json(application.get(ENDPOINT + "/decisions")).path("decisions");
        assertThat(decisions.path(0).path("action").asString()).isEqualTo("RESUMED");
        assertThat(decisions.path(1).path("action").asString()).isEqualTo("PAUSED");
        assertThat(decisions.path(1).path("queue").asString()).isEqualTo("default");
        assertThat(decisions.path(1).path("actor").asString()).isEqualTo("anonymous");
        assertThat(decisions.path(1).path("note").asString()).isEqualTo("migration");
    }

    @Test
    @Tag("O1")
    @Tag("L15")
    void zombiesAreThoseAboveTheLimit() {
        for (int zombies = 0; zombies < 6; zombies++) {
            long id = rows.pending("mail");
            rows.update(id, "zombie_count = " + zombies);
        }
        JsonNode above3 = json(application.get(ENDPOINT + "/zombies"));
        assertThat(above3.path("above").asInt()).isEqualTo(3);
        assertThat(numbers(above3.path("zombies"), "zombieCount")).containsExactly(5L, 4L);
        assertThat(numbers(json(application.get(ENDPOINT + "/zombies?above=0")).path("zombies"), "zombieCount"))
                .containsExactly(5L, 4L, 3L, 2L, 1L);
    }

    @Test
    @Tag("O1")
    @Tag("L19")
    void incidentsOfAPeriodAreCountedByTypeAndOutcomeInOneCall() {
        long first = rows.pending("mail");
        rows.incident(first, "mail", "RECLAIMED", "1 h");
        rows.incident(rows.pending("mail"), "mail", "RECLAIMED", "2 h");
        rows.incident(rows.pending("pay"), "pay", "HELD", "3 h");
        rows.incident(rows.pending("mail"), "mail", "RECLAIMED", "30 h");
        rows.jdbc()
                .sql(
                        "update konduit_task_incident set outcome = 'COMPLETED', outcome_at = clock_timestamp() where task_id = :id")
                .param("id", first)
                .update();

        JsonNode answer = json(application.get(ENDPOINT + "/incidents?since=24h"));

        assertThat(answer.path("sinceSeconds").asLong()).isEqualTo(86_400);
        JsonNode mail = answer.path("counts").path(0);
        assertThat(mail.path("type").asString()).isEqualTo("mail");
        assertThat(mail.path("classification").asString()).isEqualTo("ZOMBIE");
        assertThat(mail.path("incidents").asInt()).isEqualTo(2);
        assertThat(mail.path("completed").asInt()).isEqualTo(1);
        assertThat(mail.path("open").asInt()).isEqualTo(1);
        assertThat(answer.path("counts").path(1).path("type").asString()).isEqualTo("pay");
        assertThat(answer.path("incidents").size()).isEqualTo(3);
        assertThat(json(application.get(ENDPOINT + "/incidents?since=7d"))
                        .path("incidents")
                        .size())
                .isEqualTo(4);
    }

    @Test
    @Tag("O1")
    void incidentsComeInPages() {
        for (int i = 0; i < 7; i++) {
            rows.incident(i + 1, "mail", "RECLAIMED", i + " min");
        }
        List<Long> seen = pages("/incidents?size=3", "incidents", "task");
        assertThat(seen).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    @Test
    @Tag("O1")
    void heldTasksComeInPages() {
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(rows.held("pay"));
        }
        JsonNode first = json(application.get(ENDPOINT + "/held?size=3"));
        assertThat(numbers(first.path("held"), "id")).isEqualTo(ids.subList(0, 3));
        JsonNode second = json(application.get(
                ENDPOINT + "/held?size=3&after=" + first.path("next").asString()));
        assertThat(numbers(second.path("held"), "id")).isEqualTo(ids.subList(3, 5));
        assertThat(second.has("next")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"PENDING", "RUNNING", "HELD", "FAILED", "COMPLETED"})
    @Tag("O1")
    void tasksAreFoundByStatusAndTypePageByPage(String status) {
        List<Long> expected = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            expected.add(0, of(status, "mail"));
            of(status, "pay");
            of(status.equals("PENDING") ? "FAILED" : "PENDING", "mail");
        }
        assertThat(pages("/tasks?size=2&type=mail&status=" + status.toLowerCase(), "tasks", "id"))
                .isEqualTo(expected);
    }

    @Test
    @Tag("O1")
    void tasksOfEveryStatusAreFoundNewestFirst() {
        List<Long> expected = new ArrayList<>();
        for (String status : List.of("COMPLETED", "PENDING", "FAILED", "COMPLETED", "HELD", "RUNNING")) {
            expected.add(0, of(status, "mail"));
        }
        assertThat(pages("/tasks?size=4", "tasks", "id")).isEqualTo(expected);
        assertThat(pages("/tasks?size=4&type=mail&queue=parked", "tasks", "id")).isEqualTo(expected);
        assertThat(pages("/tasks?queue=other", "tasks", "id")).isEmpty();
    }

    @Test
    @Tag("O1")
    void theTaskThatHoldsAKeyIsFound() {
        long id = rows.pending("mail");
        rows.update(id, "unique_key = 'order-7'");
        long failed = rows.failed("mail");
        rows.update(failed, "unique_key = 'order-7'");
        assertThat(pages("/tasks?queue=parked&key=order-7", "tasks", "id")).containsExactly(id);
        assertThat(pages("/tasks?queue=parked&key=order-7&status=FAILED", "tasks", "id"))
                .containsExactly(failed);
        assertThat(pages("/tasks?queue=parked&key=order-8", "tasks", "id")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/tasks/999999 | 404 | There is no task 999999: the id is wrong, or retention has removed it.",
                "/tasks/abc | 400 | Expected the task id to be a whole number, but found 'abc'.",
                "/tasks?size=100000 | 400 | Expected a page of 1 to 1000 rows, but found 100000.",
                "/tasks?size=0 | 400 | Expected a page of 1 to 1000 rows, but found 0.",
                "/tasks?size=many | 400 | Expected 'size' to be a whole number, but found 'many'.",
                "/tasks?size=99999999999 | 400 | Expected 'size' to be at most 2147483647, but found '99999999999'.",
                "/tasks?status=BROKEN | 400 | Expected 'status' to be one of [PENDING, RUNNING, HELD, FAILED, COMPLETED, CANCELLED], but found 'BROKEN'.",
                "/tasks?before=yesterday | 400 | Expected 'before' to be the 'next' of the previous page, but found 'yesterday'. Leave it out for the first page.",
                "/tasks?key=order-7 | 400 | Expected a queue together with the unique key: a key is unique in its queue. Name the queue.",
                "/tasks?type=%00 | 400 | Expected text without NUL characters, but found one. Leave it out.",
                "/incidents?since=soon | 400 | Expected 'since' to be a duration such as 90s, 15m, 24h or 7d, but found 'soon'.",
                "/incidents?since=-1h | 400 | Expected the period to be between 1ms and 36500d, but it is PT-1H.",
                "/incidents?since=99999999999d | 400 | Expected the period to be between 1ms and 36500d, but it is PT2399999999976H.",
                "/zombies?above=x | 400 | Expected 'above' to be a whole number, but found 'x'.",
                "/held?after=x | 400 | Expected 'after' to be a whole number, but found 'x'.",
                "/nonsense | 404 | Expected one of queues, workers, held, zombies, incidents, tasks, orphans, decisions, audit, schedules, but found 'nonsense'.",
                "/queues/parked | 404 | Expected one of tasks/{id}, schedules/{name}, but found 'queues/parked'."
            })
    @Tag("O1")
    void aWrongQuestionIsAnsweredWithWhatWasExpected(String path, int status, String detail) {
        List<String> before = rows.everything();
        Answer answer = application.get(ENDPOINT + path);
        assertProblem(answer, status, detail);
        assertThat(rows.everything()).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/tasks/999999/release | {} | 404 | There is no task 999999: the id is wrong, or retention has removed it.",
                "/tasks/PENDING/release | {} | 409 | Task PENDING cannot be released: expected it to be HELD, but it is PENDING.",
                "/tasks/PENDING/fail | {} | 409 | Task PENDING cannot be failed: expected it to be HELD, but it is PENDING.",
                "/tasks/PENDING/retry | {} | 409 | Task PENDING cannot be retried: expected it to be FAILED, but it is PENDING.",
                "/tasks/PENDING/explode | {} | 404 | Expected one of tasks/{id}/release, tasks/{id}/fail, tasks/{id}/retry, tasks/{id}/cancel, tasks/{id}/reschedule, queues/{name}/pause, queues/{name}/resume, workers/{id}/drain, workers/{id}/resume, schedules/{name}/pause, schedules/{name}/resume, schedules/{name}/run-now, but found 'tasks/PENDING/explode'.",
                "/tasks/x/cancel | {} | 400 | Expected the task id to be a whole number, but found 'x'.",
                "/tasks/PENDING/retry | {\"attempts\": \"two\"} | 400 | Expected 'attempts' to be a whole number, but found 'two'.",
                "/queues/nobody/pause | {} | 404 | There is no queue 'nobody': no worker serves it and no task waits or runs in it. Check the name against the list of queues.",
                "/queues/nobody/resume | {} | 404 | There is no queue 'nobody': no worker serves it and no task waits or runs in it. Check the name against the list of queues.",
                "/queues/parked/resume | {} | 409 | Queue 'parked' cannot be resumed: expected it to be paused, but it is not.",
                "/reclaim | {\"dryRun\": \"maybe\"} | 400 | Expected 'dryRun' to be true or false, but found 'maybe'.",
                "/reclaim | {\"size\": 5000} | 400 | Expected a page of 1 to 1000 rows, but found 5000.",
                "/clean-abandoned | {\"dryRun\": \"maybe\"} | 400 | Expected 'dryRun' to be true or false, but found 'maybe'.",
                "/explode | {} | 404 | Expected one of reclaim, clean-abandoned, but found 'explode'."
            })
    @Tag("O2")
    void aWrongActionIsAnsweredWithWhatWasExpectedAndChangesNothing(
            String path, String body, int status, String detail) {
        String id = Long.toString(rows.pending("mail"));
        List<String> before = rows.everything();
        Answer answer = application.post(ENDPOINT + path.replace("PENDING", id), body);
        assertProblem(
                answer,
                status,
                detail.replaceFirst("Task PENDING", "Task " + id).replace("tasks/PENDING", "tasks/" + id));
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    @Tag("O2")
    void aNoteThatIsTooLongIsRefused() {
        long id = rows.held("pay");
        List<String> before = rows.everything();
        Answer answer =
                application.post(ENDPOINT + "/tasks/" + id + "/release", "{\"note\": \"" + "x".repeat(501) + "\"}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.detail()).contains("500");
        assertThat(rows.everything()).isEqualTo(before);
    }

    @Test
    @Tag("O2")
    void pausingTwiceIsRefusedTheSecondTime() {
        rows.pending("mail");
        application.post(ENDPOINT + "/queues/parked/pause", NOTHING);
        assertProblem(
                application.post(ENDPOINT + "/queues/parked/pause", NOTHING),
                409,
                "Queue 'parked' cannot be paused: expected it to be active, but it is paused already.");
        assertThat(json(application.get(ENDPOINT + "/decisions"))
                        .path("decisions")
                        .size())
                .isEqualTo(1);
    }

    private long of(String status, String type) {
        return switch (status) {
            case "PENDING" -> rows.pending(type);
            case "RUNNING" -> rows.running(type, UUID.randomUUID(), "5 min");
            case "HELD" -> rows.held(type);
            case "FAILED" -> rows.failed(type);
            default -> rows.completed(type);
        };
    }

    /** All pages of a list, each found by the cursor of the one before. */
    private List<Long> pages(String path, String list, String field) {
        List<Long> all = new ArrayList<>();
        String next = "";
        do {
            String before = next.isEmpty() ? "" : (path.contains("?") ? "&" : "?") + "before=" + next;
            JsonNode page = json(application.get(ENDPOINT + path + before));
            all.addAll(numbers(page.path(list), field));
            next = page.path("next").asString("");
        } while (!next.isEmpty());
        return all;
    }

    private static List<Long> numbers(JsonNode list, String field) {
        List<Long> numbers = new ArrayList<>();
        list.forEach(node -> numbers.add(node.path(field).asLong()));
        return numbers;
    }

    private static JsonNode named(JsonNode list, String name) {
        for (JsonNode node : list) {
            if (node.path("name").asString().equals(name)) {
                return node;
            }
        }
        throw new AssertionError("No '" + name + "' in " + list);
    }

    private JsonNode story(long id) {
        return json(application.get(ENDPOINT + "/tasks/" + id));
    }

    private String explanation(long id) {
        return story(id).path("explanation").asString();
    }

    private static JsonNode json(Answer answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        return answer.json();
    }

    static void assertProblem(Answer answer, int status, String detail) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        JsonNode problem = answer.json();
        assertThat(problem.path("detail").asString()).isEqualTo(detail);
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("title").asString()).isNotBlank();
        assertThat(problem.path("type").asString()).startsWith("urn:konduit-queue:problem:");
    }
}
