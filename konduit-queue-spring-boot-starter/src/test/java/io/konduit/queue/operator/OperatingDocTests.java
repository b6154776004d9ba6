package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskRequest;
import io.konduit.queue.admin.QueueInspection;
import io.konduit.queue.host.HostApplication;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.leader.LeaderOnlyScheduler;
import io.konduit.queue.metrics.QueueGauges;
import io.konduit.queue.operator.RunningApplication.Answer;
import io.konduit.queue.retention.HistoryPruner;
import io.konduit.queue.schema.QueueSchemaMigrator;
import io.konduit.queue.store.RetentionRepository;
import io.konduit.queue.test.TestDatabase;
import io.konduit.queue.worker.WorkerIdentity;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.javacrumbs.shedlock.core.LockProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code docs/operating.md} does what it says: its SQL runs, its roles suffice, its alerts are those of the rules. */
class OperatingDocTests {
    private static final String PAGE = "operating.md";
    private static final String ROLES = "## Database roles";
    private static final Pattern ROLE = Pattern.compile("konduit_(worker|sender|reader)_role");

    private static TestDatabase database;
    private static Rows rows;

    static class Jobs {
        @JobHandler("greet")
        void greet(String name) {}
    }

    @BeforeAll
    static void createDatabase() {
        database = TestDatabase.create();
        new QueueSchemaMigrator(database.dataSource(), null).migrate();
        rows = new Rows(database);
        dropRoles();
        Docs.sql(Docs.section(PAGE, ROLES)).forEach(block -> database.execute(rename(block)));
    }

    @AfterAll
    static void dropDatabase() {
        database.close();
        dropRoles();
    }

    @BeforeEach
    void clear() {
        rows.clear();
    }

    @Test
    @Tag("O1")
    @Tag("L19")
    void everyQueryOnThePageRunsAlsoForTheRoleThatMayOnlyRead() throws SQLException {
        rows.held("pay");
        rows.pending("mail");
        rows.running("mail", UUID.randomUUID(), "-5 s");
        List<String> queries = statements(Docs.section(PAGE, "## The same questions in SQL"));
        assertThat(queries).hasSizeGreaterThan(12);
        try (Connection reader = connect("konduit_reader_role");
                Statement statement = reader.createStatement()) {
            for (String query : queries) {
                assertThatCode(() -> statement.executeQuery(query)).as(query).doesNotThrowAnyException();
            }
        }
    }

    @Test
    @Tag("L19")
    void theQueryForYesterdaysZombiesCountsThem() {
        long id = rows.pending("mail");
        rows.incident(id, "mail", "RECLAIMED", "1 day");
        rows.incident(id, "mail", "RECLAIMED", "3 days");
        String query = statements(
                        Docs.section(PAGE, "### How many zombies yesterday, of which types, did they recover"))
                .get(0);
        assertThat(rows.jdbc().sql(query).query().listOfRows()).singleElement().satisfies(row -> assertThat(row)
                .containsEntry("type", "mail")
                .containsEntry("incidents", 1L)
                .containsEntry("open", 1L));
    }

    @Test
    void theStatementAfterARestoreMovesTheIdsOn() {
        long before = rows.pending("mail");
        statements(Docs.section(PAGE, "## Backups"))
                .forEach(sql -> rows.jdbc().sql(sql).query().listOfRows());
        assertThat(rows.pending("mail")).isGreaterThan(before + 999_999);
    }

    @Test
    @Tag("O7")
    void theReaderSeesNoPayloadCheckpointOrError() throws SQLException {
        rows.failed("mail");
        try (Connection reader = connect("konduit_reader_role");
                Statement statement = reader.createStatement()) {
            for (String query : List.of(
                    "select payload from konduit_task",
                    "select checkpoint from konduit_task",
                    "select last_error from konduit_tasks",
                    "select payload from konduit_task_history",
                    "delete from konduit_task",
                    "update konduit_task set priority = 0")) {
                assertThatThrownBy(() -> statement.execute(query))
                        .as(query)
                        .isInstanceOf(SQLException.class)
                        .hasMessageContaining("permission denied");
            }
        }
    }

    @Test
    @Tag("E4")
    void theWorkersRoleSufficesToSayWhoLeadsByALockOfTheApplication() {
        HostApplication.on(database)
                .withPropertyValues(
                        "spring.datasource.url=" + url("konduit_worker_role"),
                        "konduit.queue.schema.initialize=false",
                        "konduit.queue.worker.enabled=false",
                        "konduit.queue.chores.enabled=true",
                        "konduit.queue.reaper-interval=1h")
                .withBean(LockProvider.class, () -> configuration -> Optional.of(() -> {}))
                .run(context -> {
                    QueueInspection inspection = context.getBean(QueueInspection.class);
                    String own = context.getBean(WorkerIdentity.class).id().toString();
                    await().untilAsserted(() ->
                            assertThat(inspection.overview().leader()).isEqualTo(own));
                    context.getBean(LeaderOnlyScheduler.class).stop();
                    assertThat(inspection.overview().leader()).isNull();
                });
    }

    @Test
    void theWorkersRoleSufficesForEverythingAWorkerAndItsOperatorsDo() {
        try (RunningApplication application = RunningApplication.start(
                database,
                List.of(Jobs.class),
                "spring.datasource.url=" + url("konduit_worker_role"),
                "konduit.queue.schema.initialize=false",
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.health.show-details=always",
                "konduit.queue.endpoint.allow-writes=true")) {
            TaskQueue queue = application.bean(TaskQueue.class);
            List<TaskId> ids = new ArrayList<>(queue.enqueueAll(List.of(
                    TaskRequest.of("greet", "Ada"),
                    TaskRequest.of("greet", "Grace").uniqueKey("one"))));
            ids.add(queue.enqueue("greet", "Edsger"));
            ids.forEach(id -> await().atMost(Duration.ofSeconds(10))
                    .until(() -> rows.status(id.value()).equals("COMPLETED")));
            long held = rows.held("pay");
            long failed = rows.failed("mail");
            rows.running("mail", UUID.randomUUID(), "-5 s");
            for (String path : List.of(
                    "tasks/" + held + "/release",
                    "tasks/" + held + "/cancel",
                    "tasks/" + failed + "/retry",
                    "tasks/" + rows.held("pay") + "/fail",
                    "queues/parked/pause",
                    "queues/parked/resume",
                    "workers/self/drain",
                    "workers/self/resume",
                    "tasks/" + rows.dueLater("mail") + "/reschedule",
                    "reclaim",
                    "clean-abandoned")) {
                Answer answer = application.post(RunningApplication.ENDPOINT + "/" + path, body(path));
                assertThat(answer.status()).as(path + answer.text()).isEqualTo(200);
            }
            for (String list :
                    List.of("queues", "workers", "held", "zombies", "incidents", "tasks", "decisions", "audit")) {
                assertThat(application
                                .get(RunningApplication.ENDPOINT + "/" + list)
                                .status())
                        .as(list)
                        .isEqualTo(200);
            }
            RetentionRepository retention = new RetentionRepository(application.bean(QueueDatabase.class));
            for (RetentionRepository.Kind kind : RetentionRepository.Kind.values()) {
                assertThatCode(() -> retention.prune(kind, Duration.ofDays(1), 10))
                        .as(kind.name())
                        .doesNotThrowAnyException();
            }
            HistoryPruner history = application.bean(HistoryPruner.class);
            assertThatCode(history::pruneOnce).doesNotThrowAnyException();
            assertThat(history.mode()).isEqualTo(HistoryPruner.Mode.TRUNCATE);
            application.bean(QueueGauges.class).refresh();
            await().untilAsserted(() -> assertThat(application
                            .get("/actuator/health")
                            .json()
                            .path("status")
                            .asString())
                    .isEqualTo("UP"));
        }
    }

    @Test
    void theSendersRoleSufficesToEnqueueAndToLook() {
        HostApplication.on(database)
                .withPropertyValues(
                        "spring.datasource.url=" + url("konduit_sender_role"),
                        "konduit.queue.schema.initialize=false",
                        "konduit.queue.worker.enabled=false")
                .run(context -> {
                    TaskQueue queue = context.getBean(TaskQueue.class);
                    TaskId id = queue.enqueue("greet", "Ada");
                    TaskId unique =
                            queue.enqueue(TaskRequest.of("greet", "Grace").uniqueKey("one"));
                    assertThat(queue.enqueue(TaskRequest.of("greet", "Grace").uniqueKey("one")))
                            .isEqualTo(unique);
                    queue.enqueueAll(List.of(TaskRequest.of("greet", "Edsger")));
                    assertThat(queue.find(id)).isPresent();
                    assertThatThrownBy(() -> queue.cancel(id)).rootCause().hasMessageContaining("permission denied");
                });
    }

    @Test
    @Tag("O4")
    void everyAlertHasItsParagraphAndEveryParagraphItsAlert() {
        Set<String> rules = names("- alert: (\\w+)", Docs.read("operating/alerts.yml"));
        assertThat(rules).hasSizeGreaterThan(8);
        assertThat(names("### (KonduitQueue\\w+)", Docs.section(PAGE, "## Alerts")))
                .isEqualTo(rules);
    }

    @Test
    void everyPathOfTheEndpointOnThePageExists() {
        String page = Docs.section(PAGE, "## The endpoint");
        assertThat(names("`\\.\\.\\./(\\w+)[?`/]", page))
                .containsExactlyInAnyOrder(
                        "queues",
                        "workers",
                        "tasks",
                        "held",
                        "zombies",
                        "incidents",
                        "orphans",
                        "decisions",
                        "schedules",
                        "audit",
                        "bulk",
                        "reclaim");
    }

    private static String body(String path) {
        if (path.endsWith("/reschedule")) {
            return "{\"delay\": \"1h\"}";
        }
        return path.contains("/") ? "{}" : "{\"dryRun\": false}";
    }

    private static Set<String> names(String pattern, String text) {
        Set<String> names = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        return names;
    }

    private static List<String> statements(String text) {
        List<String> statements = new ArrayList<>();
        for (String block : Docs.sql(text)) {
            for (String statement : block.split(";\\s*\\n")) {
                if (!statement.isBlank()) {
                    statements.add(statement);
                }
            }
        }
        return statements;
    }

    /** Roles belong to the whole server: each JVM has its own. */
    private static String rename(String sql) {
        return ROLE.matcher(sql).replaceAll("$0_" + ProcessHandle.current().pid());
    }

    private static void dropRoles() {
        try (TestDatabase other = TestDatabase.create()) {
            for (String role : List.of("konduit_worker_role", "konduit_sender_role", "konduit_reader_role")) {
                other.execute("drop role if exists " + rename(role));
            }
        }
    }

    private static Connection connect(String role) throws SQLException {
        return DriverManager.getConnection(url(role));
    }

    private static String url(String role) {
        return database.jdbcUrl()
                .replaceAll("user=[^&]*", "user=" + rename(role))
                .replaceAll("password=[^&]*", "password=choose-one");
    }
}
