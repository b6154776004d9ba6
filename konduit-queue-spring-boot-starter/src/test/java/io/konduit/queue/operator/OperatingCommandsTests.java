package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.konduit.queue.JobHandler;
import io.konduit.queue.Schedule;
import io.konduit.queue.Schedules;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.operator.RunningApplication.Answer;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.test.ShellCommands;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.yaml.snakeyaml.Yaml;

/**
 * Every path, command and setting on {@code docs/operating.md} does what the page says. The application is configured with
 * the page's own YAML. The review inbox and the SQL questions have tests of their own.
 */
@Tag("O1")
@Tag("O2")
class OperatingCommandsTests {
    private static final String PAGE = "operating.md";
    private static final String ENDPOINT = RunningApplication.ENDPOINT;
    private static final Pattern PATH = Pattern.compile("`(?:\\.\\.\\.|/actuator/konduitqueue)(/?[^`]*)`");
    private static final Set<String> SECTIONS_WITH_SQL =
            Set.of("## The same questions in SQL", "## Database roles", "## After a failover", "## Backups");

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.of(List.of(Jobs.class), settingsOfThePage());

    private final RunningApplication application = operated.application();
    private final Rows rows = operated.rows();

    static class Jobs {
        @JobHandler("greet")
        void greet(String name) {}
    }

    @Test
    void everyReadOnThePageAnswers() {
        long id = rows.held("pay");
        List<String> reads = paths("| read, with `GET` |");
        assertThat(reads).hasSizeGreaterThan(9);
        for (String read : reads) {
            String path = read.replace("{id}", Long.toString(id)).replace("{name}", schedule());
            Answer answer = application.get(ENDPOINT + path);
            assertThat(answer.status()).as(read + " " + answer.text()).isEqualTo(200);
        }
    }

    @Test
    void everyListThatTheEndpointKnowsIsOnThePage() {
        String detail = application.get(ENDPOINT + "/nonsense").detail();
        List<String> known = Arrays.asList(detail.substring("Expected one of ".length(), detail.indexOf(", but"))
                .split(", "));
        Set<String> documented = new TreeSet<>();
        paths("| read, with `GET` |").forEach(path -> documented.add(path.replaceAll("^/?([\\w-]*).*", "$1")));
        assertThat(documented).containsAll(known);
    }

    @Test
    void everyActionOnThePageActsAndEveryActionIsOnThePage() {
        List<String> actions = paths("| act, with `POST` and a JSON body |");
        String detail = application.post(ENDPOINT + "/tasks/1/explode", "{}").detail();
        List<String> known = Arrays.asList(detail.substring("Expected one of ".length(), detail.indexOf(", but"))
                .split(", "));
        assertThat(actions).containsAll(known.stream().map(path -> "/" + path).toList());
        for (String action : actions) {
            for (String path : expanded(action)) {
                Answer answer = application.post(ENDPOINT + path, body(path));
                assertThat(answer.status()).as(path + " " + answer.text()).isEqualTo(200);
            }
        }
    }

    @Test
    @Tag("S13")
    void theConditionsOfAFilterAreThoseOnThePage() {
        rows.failed("invoice");
        String section = Docs.section(PAGE, "### Many tasks at once");
        Map<String, String> examples = Map.of(
                "queue", "parked",
                "type", "invoice",
                "status", "FAILED",
                "holdReason", "NOT_REAPABLE",
                "errorType", "java.io.IOException",
                "createdAfter", "2020-01-31T08:00:00Z",
                "createdBefore", "2099-01-31T08:00:00Z",
                "finishedAfter", "2020-01-31T08:00:00Z",
                "finishedBefore", "2099-01-31T08:00:00Z",
                "all", "true");
        Set<String> documented = new TreeSet<>();
        Docs.rows(section).forEach(row -> {
            Matcher name = Pattern.compile("`(\\w+)`").matcher(row.get(0));
            while (name.find()) {
                documented.add(name.group(1));
            }
        });
        assertThat(documented).isEqualTo(new TreeSet<>(examples.keySet()));
        examples.forEach((field, value) -> {
            Answer answer = application.post(ENDPOINT + "/bulk/cancel", "{\"" + field + "\": \"" + value + "\"}");
            assertThat(answer.status()).as(field + answer.text()).isEqualTo(200);
            assertThat(answer.json().path("matched").asInt()).as(field).isEqualTo(field.equals("holdReason") ? 0 : 1);
        });
    }

    @Test
    @Tag("S13")
    void theCallsForManyTasksCountFirstAndActThen() {
        assumeThat(ShellCommands.areAvailable()).as("sh and curl").isTrue();
        long failed = rows.failed("invoice");
        String output = ShellCommands.run(
                Docs.blocks("sh", Docs.section(PAGE, "### Many tasks at once")).get(0), application.port());
        assertThat(output).contains("\"dryRun\":true", "\"matched\":1", "\"changed\":1");
        assertThat(rows.status(failed)).isEqualTo("PENDING");
    }

    @Test
    @Tag("S14")
    void theCallsThatDrainAWorkerDoAndSoDoesTheHookOfKubernetes() {
        assumeThat(ShellCommands.areAvailable()).as("sh and curl").isTrue();
        String section = Docs.section(PAGE, "### Draining a worker");
        String hook = hookCommand(section);
        for (String script : List.of(Docs.blocks("sh", section).get(0), hook.replace("sleep 5", "sleep 0"))) {
            assertThat(ShellCommands.run(script, application.port())).as(script).contains("\"draining\":true");
            assertThat(application.get(ENDPOINT + "/workers").text()).contains("DRAINING");
            assertThat(application.post(ENDPOINT + "/workers/self/resume", "{}").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void everyBlockOfSettingsIsValidYaml() {
        String page = Docs.read(PAGE);
        assertThat(yaml(page)).hasSize(Docs.blocks("yaml", page).size()).hasSizeGreaterThan(2);
    }

    /** So that none is forgotten: {@link OperatingDocTests} runs those of three sections, this class the fourth. */
    @Test
    void everyBlockOfSqlIsInASectionThatIsRunByATest() {
        int found = SECTIONS_WITH_SQL.stream()
                .mapToInt(section -> Docs.sql(Docs.section(PAGE, section)).size())
                .sum();
        assertThat(found).isEqualTo(Docs.sql(Docs.read(PAGE)).size());
    }

    @Test
    @Tag("S16")
    void aNewServerBeginsWhereTheOldOneWas() {
        try (TestDatabase restored = TestDatabase.create()) {
            new QueueSchemaMigrator(restored.dataSource(), null).migrate();
            restored.execute(Docs.sql(Docs.section(PAGE, "## After a failover")).get(0));
            JdbcClient jdbc = JdbcClient.create(restored.dataSource());
            assertThat(jdbc.sql("select konduit_timeline()").query(Long.class).single())
                    .isEqualTo(4);
            String id = "nextval('konduit_task_id_seq') + ((konduit_timeline() - 1) << 40)";
            assertThat(Docs.section(PAGE, "## After a failover")).contains(id);
            assertThat(jdbc.sql("select " + id).query(Long.class).single()).isEqualTo((3L << 40) + 1);
        }
    }

    /** The paths in the first column of a table. */
    private static List<String> paths(String head) {
        String section = Docs.section(PAGE, "## The endpoint");
        String table = section.substring(section.indexOf(head));
        List<String> paths = new ArrayList<>();
        for (List<String> row : Docs.rows(table.substring(0, table.indexOf("\n\n")))) {
            Matcher matcher = PATH.matcher(row.get(0));
            while (matcher.find()) {
                paths.add(matcher.group(1));
            }
        }
        return paths;
    }

    private List<String> expanded(String action) {
        return action.contains("{action}")
                ? List.of("/bulk/release", "/bulk/fail", "/bulk/retry", "/bulk/cancel", "/bulk/reschedule")
                : List.of(action.replace("{id}", target(action))
                        .replace("{name}", action.startsWith("/schedules/") ? schedule() : Rows.QUEUE));
    }

    /** The name of a schedule that exists. */
    private String schedule() {
        application
                .bean(Schedules.class)
                .put(Schedule.of("nightly", TaskRequest.of("greet", "world")).every(Duration.ofHours(6)));
        return "nightly";
    }

    /** A worker, or a task in the state that the action needs. */
    private String target(String action) {
        if (action.startsWith("/workers/")) {
            return "self";
        }
        return Long.toString(
                switch (action.substring(action.lastIndexOf('/') + 1)) {
                    case "retry" -> rows.failed("mail");
                    case "reschedule", "cancel" -> rows.dueLater("mail");
                    default -> rows.held("pay");
                });
    }

    private static String body(String path) {
        String start = path.endsWith("/reschedule") ? ", \"delay\": \"1h\"" : "";
        String filter = path.startsWith("/bulk/") ? ", \"queue\": \"parked\"" : "";
        return "{\"note\": \"as the page says\"" + start + filter + "}";
    }

    private static List<Object> yaml(String text) {
        return Docs.blocks("yaml", text).stream()
                .map(block -> (Object) new Yaml().load(block))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static String hookCommand(String section) {
        Map<String, Object> level = (Map<String, Object>) yaml(section).get(0);
        for (String key : List.of("lifecycle", "preStop", "exec")) {
            level = (Map<String, Object>) level.get(key);
        }
        List<String> command = (List<String>) level.get("command");
        assertThat(command.subList(0, 2)).containsExactly("sh", "-c");
        return command.get(2);
    }

    private static String[] settingsOfThePage() {
        List<String> properties = new ArrayList<>();
        flatten("", yaml(Docs.section(PAGE, "## The endpoint")).get(0), properties);
        assertThat(properties).contains("konduit.queue.endpoint.allow-writes=true");
        return properties.toArray(String[]::new);
    }

    private static void flatten(String prefix, Object value, List<String> properties) {
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, below) -> flatten(prefix.isEmpty() ? "" + key : prefix + "." + key, below, properties));
        } else {
            properties.add(prefix + "=" + value);
        }
    }
}
