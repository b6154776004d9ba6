package io.konduit.queue.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.konduit.queue.QueueHarness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What operators ask stays cheap with a million tasks waiting, a million done and 100 000 incidents of one day. Run with
 * {@code -Dkonduit.docs.write=true} to write the figures into {@code docs/cost.md}.
 */
@Tag("long")
@Tag("O1")
@Tag("R2")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class EndpointCostTests {
    private static final Path PAGE = Path.of("..", "docs", "cost.md");
    private static final String BEGIN = "<!-- endpoint: written by EndpointCostTests -->";
    private static final String END = "<!-- end of endpoint -->";
    private static final int MAX_PAGES = 10_000;
    private static final List<String> BIG = List.of("konduit_task", "konduit_task_history", "konduit_task_incident");

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private record Cost(String statement, long pages, double millis, List<String> scans) {}

    @Test
    void everyQuestionReadsAFewPagesOfHugeTables() throws IOException {
        fill();
        long deep = 500_000;
        Map<String, List<Cost>> calls = new LinkedHashMap<>();
        List<Cost> overview = List.of(
                cost("stats-pending", Map.of("cap", 100_000)),
                cost("stats-live", Map.of("cap", 100_000)),
                cost("stats-recovery", Map.of("warnAbove", 3, "cap", 100_000, "chore", "reaper")),
                cost("list-workers", Map.of("staleMs", 60_000L, "goneMs", 600_000L, "limit", 1_000)),
                cost("list-paused", Map.of("limit", 1_000)),
                cost("find-leader", Map.of("lock", "konduit-queue-leader", "record", "leader", "chore", "reaper")));
        calls.put("overview", overview);
        calls.put("`tasks/{id}`, waiting", List.of(story(deep), incidentsOf(deep)));
        calls.put("`tasks/{id}`, completed", List.of(story(1_500_000), incidentsOf(1_500_000)));
        calls.put("`held`, a page of 50", List.of(cost("list-held", Map.of("afterId", 2_060_000L, "limit", 50))));
        calls.put("`zombies?above=3`", List.of(cost("list-zombie-tasks", Map.of("above", 3, "limit", 50))));
        calls.put("`orphans`, `reclaim` as a dry run", List.of(orphans()));
        calls.put(
                "`incidents?since=24h`, first page", List.of(incidents("infinity", Long.MAX_VALUE), countIncidents()));
        calls.put("`incidents?since=24h`, in the middle", List.of(incidents(middleOfIncidents(), Long.MAX_VALUE)));
        calls.put("`tasks`, first page", List.of(search("search:all", null, null, null, null, Long.MAX_VALUE, 50)));
        calls.put(
                "`tasks?type=`, a type there is none of",
                List.of(search("search:all", null, null, "none", null, Long.MAX_VALUE, 20_000)));
        calls.put(
                "`tasks?type=&status=PENDING`, in the middle",
                List.of(search("search:live", "PENDING", null, "none", null, deep, 20_000)));
        calls.put(
                "`tasks?type=&status=COMPLETED`, in the middle",
                List.of(search("search:history", "COMPLETED", null, "none", null, 1_500_000, 20_000)));
        calls.put(
                "`tasks?status=RUNNING`",
                List.of(search("search:running", "RUNNING", null, null, null, Long.MAX_VALUE, 50)));
        calls.put(
                "`tasks?status=HELD&type=`",
                List.of(search("search:held", "HELD", null, "none", null, Long.MAX_VALUE, 20_000)));
        calls.put(
                "`tasks?status=FAILED&type=`",
                List.of(search("search:failed", "FAILED", null, "none", null, Long.MAX_VALUE, 20_000)));
        calls.put(
                "`tasks?queue=&key=`",
                List.of(search("search:key", null, "default", null, "key-77", Long.MAX_VALUE, 20_000)));
        calls.put("`queues/{name}/pause`, the check", List.of(cost("find-queue", Map.of("queue", "nowhere"))));

        String table = table(calls);
        System.out.println(table);
        calls.values().stream().flatMap(List::stream).forEach(cost -> {
            assertThat(cost.pages()).as(cost.toString()).isLessThan(MAX_PAGES);
            assertThat(cost.scans())
                    .as(cost.statement())
                    .noneMatch(scan -> BIG.contains(scan) || scan.matches("konduit_task_history_\\d"));
        });
        if (Boolean.getBoolean("konduit.docs.write")) {
            write(table);
        }
    }

    /** 1 000 000 waiting, 60 running, 50 000 failed, 20 000 held, 1 000 000 completed, 100 000 incidents of the last day. */
    private static void fill() {
        harness.testDatabase()
                .execute(
                        "alter table konduit_task disable trigger user",
                        insert("PENDING", 1, 1_000_000, "null::timestamptz", "null", "null::uuid", "null"),
                        "insert into konduit_task_history (id, queue, type, payload, priority, status, run_at, attempts, max_attempts,"
                                + " zombie_count, lease_epoch, created_at, finished_at, slot)"
                                + " select n, 'default', 'type-' || n % 50, '{\"order\": 4711}', 2, 'COMPLETED', clock_timestamp(), 1, 3, 0, 1,"
                                + " clock_timestamp(), clock_timestamp(), n % 8 from generate_series(1000001, 2000000) n",
                        insert(
                                "FAILED",
                                2_000_001,
                                2_050_000,
                                "clock_timestamp() - n * interval '1 s'",
                                "null",
                                "null::uuid",
                                "null"),
                        insert(
                                "HELD",
                                2_050_001,
                                2_070_000,
                                "null::timestamptz",
                                "'NOT_REAPABLE'",
                                "null::uuid",
                                "null"),
                        insert("RUNNING", 2_070_001, 2_070_060, "null::timestamptz", "null", "gen_random_uuid()", "3"),
                        "update konduit_task set zombie_count = id % 7 where id % 1000 = 0",
                        "update konduit_task set unique_key = 'key-' || id where id < 1000",
                        "insert into konduit_task_incident (task_id, queue, type, classification, action, actor, lease_epoch, detected_at,"
                                + " attempts, zombie_count) select n, 'default', 'type-' || n % 50, 'ZOMBIE', 'HELD', 'reaper', 1,"
                                + " clock_timestamp() - (100000 - n) * interval '0.8 s', 1, 1 from generate_series(1, 100000) n",
                        "insert into konduit_worker (id, name, host, pid, version, queues, concurrency, status, started_at, last_beat_at)"
                                + " select gen_random_uuid(), 'w' || n, 'h', n, '1', '{default}', 10, 'ACTIVE', clock_timestamp(),"
                                + " clock_timestamp() from generate_series(1, 6) n",
                        "alter table konduit_task enable trigger user",
                        "vacuum analyze konduit_task",
                        "vacuum analyze konduit_task_history",
                        "vacuum analyze konduit_task_incident");
    }

    private static String insert(
            String status,
            int from,
            int to,
            String finishedAt,
            String holdReason,
            String lockedBy,
            String maxAttempts) {
        String lockedAt = status.equals("RUNNING") ? "clock_timestamp()" : "null";
        String leaseEnd = status.equals("RUNNING") ? "clock_timestamp() + (30 - n % 60) * interval '1 s'" : "null";
        return "insert into konduit_task (id, queue, type, payload, priority, status, run_at, created_at, finished_at, hold_reason,"
                + " locked_by, locked_at, lock_timeout_at, max_attempts, reapable)"
                + " select n, 'default', 'type-' || n % 50, '{\"order\": 4711}', n % 4, '" + status
                + "', clock_timestamp() + (n % 1000 - 500) * interval '1 s', clock_timestamp(), " + finishedAt + ", "
                + holdReason + ", " + lockedBy + ", " + lockedAt + ", " + leaseEnd + ", " + maxAttempts
                + ", true from generate_series(" + from + ", " + to + ") n";
    }

    private static Cost story(long id) {
        return cost("find-story", Map.of("id", id, "staleMs", 60_000L));
    }

    private static Cost incidentsOf(long id) {
        return cost("list-incidents-of-task", Map.of("taskId", id, "limit", 100));
    }

    private static Cost orphans() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("serverTime", null);
        parameters.put("quarantineAfter", 5);
        parameters.put("graceMs", 0L);
        parameters.put("limit", 50);
        return cost("list-orphans:expired", parameters);
    }

    private static Cost incidents(String beforeTime, long beforeId) {
        return cost(
                "page-incidents",
                Map.of("periodMs", 86_400_000L, "beforeTime", beforeTime, "beforeId", beforeId, "limit", 50));
    }

    private static Cost countIncidents() {
        return cost("sum-incidents", Map.of("periodMs", 86_400_000L, "cap", 100_000));
    }

    private static String middleOfIncidents() {
        return harness.jdbc()
                .sql("select detected_at::text from konduit_task_incident where task_id = 50000")
                .query(String.class)
                .single();
    }

    private static Cost search(
            String statement, String status, String queue, String type, String key, long beforeId, int examine) {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("status", status);
        parameters.put("queue", queue);
        parameters.put("type", type);
        parameters.put("key", key);
        parameters.put("beforeTime", "infinity");
        parameters.put("beforeId", beforeId);
        parameters.put("examine", examine);
        parameters.put("limit", 50);
        return cost(statement, parameters);
    }

    /** The second run of the statement, so that it reads memory and not the disk of the day. */
    private static Cost cost(String statement, Map<String, Object> parameters) {
        JsonNode plan = null;
        for (int run = 0; run < 2; run++) {
            String text = harness.jdbc()
                    .sql("explain (analyze, buffers, format json) "
                            + harness.database().statements().get(statement))
                    .params(parameters)
                    .query(String.class)
                    .single();
            plan = JsonMapper.shared().readTree(text).path(0);
        }
        List<String> scans = new ArrayList<>();
        collectSeqScans(plan.path("Plan"), scans);
        JsonNode top = plan.path("Plan");
        return new Cost(
                statement,
                top.path("Shared Hit Blocks").asLong()
                        + top.path("Shared Read Blocks").asLong(),
                plan.path("Execution Time").asDouble(),
                scans);
    }

    private static void collectSeqScans(JsonNode node, List<String> scans) {
        if (node.path("Node Type").asString().equals("Seq Scan")) {
            scans.add(node.path("Relation Name").asString());
        }
        node.path("Plans").forEach(child -> collectSeqScans(child, scans));
    }

    private static String table(Map<String, List<Cost>> calls) {
        StringBuilder table =
                new StringBuilder("\n| call | statements | pages read | ms in the database |\n|---|---|---|---|\n");
        calls.forEach((call, costs) -> table.append("| ")
                .append(call)
                .append(" | ")
                .append(String.join(
                        ", ",
                        costs.stream().map(cost -> "`" + cost.statement() + "`").toList()))
                .append(" | ")
                .append(costs.stream().mapToLong(Cost::pages).sum())
                .append(" | ")
                .append(String.format(
                        Locale.ROOT,
                        "%.1f",
                        costs.stream().mapToDouble(Cost::millis).sum()))
                .append(" |\n"));
        String sizes = harness.jdbc()
                .sql(
                        "select 'konduit_task with its indexes: ' || pg_size_pretty(pg_total_relation_size('konduit_task'))"
                                + " || ', konduit_task_history: ' || pg_size_pretty(pg_total_relation_size('konduit_task_history'))"
                                + " || ', konduit_task_incident: ' || pg_size_pretty(pg_total_relation_size('konduit_task_incident'))")
                .query(String.class)
                .single();
        return table + "\nSizes on disk: " + sizes + ".\n";
    }

    private static void write(String table) throws IOException {
        String page = Files.readString(PAGE);
        int from = page.indexOf(BEGIN) + BEGIN.length();
        Files.writeString(PAGE, page.substring(0, from) + table + page.substring(page.indexOf(END)));
    }
}
