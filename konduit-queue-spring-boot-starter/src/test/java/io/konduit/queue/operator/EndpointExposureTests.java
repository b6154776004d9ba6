package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.konduit.queue.autoconfigure.endpoint.KonduitQueueEndpoint;
import io.konduit.queue.host.HostApplication;
import io.konduit.queue.test.TestDatabase;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.MBeanException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.web.servlet.handler.AbstractHandlerMethodMapping;

/** What is open to whom: nothing that the application did not open. */
class EndpointExposureTests {
    private static final String ENDPOINT = RunningApplication.ENDPOINT;
    private static final String ALL = "management.endpoints.web.exposure.include=konduitqueue";

    private static TestDatabase database;
    private static Rows rows;

    @BeforeAll
    static void createDatabase() {
        database = TestDatabase.create();
        rows = new Rows(database);
    }

    @AfterAll
    static void dropDatabase() {
        database.close();
    }

    @Test
    @Tag("O3")
    void aFreshApplicationExposesNothingThatItDidNotExposeBefore() {
        Set<String> without;
        String linksWithout;
        List<String> starter =
                Arrays.stream(HostApplication.starter()).map(Class::getName).toList();
        try (RunningApplication application = RunningApplication.startWithout(database, starter)) {
            without = paths(application);
            linksWithout = links(application);
        }
        try (RunningApplication application = RunningApplication.start(database, List.of())) {
            assertThat(paths(application)).isEqualTo(without).isNotEmpty();
            assertThat(links(application)).isEqualTo(linksWithout).doesNotContain("konduit");
            assertThat(application.get(ENDPOINT).status()).isEqualTo(404);
            assertThat(application.post(ENDPOINT + "/reclaim", "{}").status()).isEqualTo(404);
            assertThat(application.context().getBeanNamesForType(KonduitQueueEndpoint.class))
                    .isEmpty();
            // the state is there for the application's operators, without details for strangers
            assertThat(application.get("/actuator/health").text()).doesNotContain("konduit");
        }
    }

    @Test
    @Tag("O2")
    void writesAreRefusedUnlessTheApplicationAllowsThem() {
        try (RunningApplication application =
                RunningApplication.start(database, List.of(), ALL, "konduit.queue.worker.enabled=false")) {
            rows.clear();
            long held = rows.held("pay");
            long failed = rows.failed("mail");
            long orphan = rows.running("mail", java.util.UUID.randomUUID(), "-9 s");
            List<String> before = rows.everything();
            Map<String, String> actions = Map.of(
                    "tasks/" + held + "/release",
                    "{}",
                    "tasks/" + held + "/fail",
                    "{}",
                    "tasks/" + failed + "/retry",
                    "{}",
                    "tasks/" + held + "/cancel",
                    "{}",
                    "queues/parked/pause",
                    "{}",
                    "queues/parked/resume",
                    "{}",
                    "reclaim",
                    "{\"dryRun\": false}",
                    "clean-abandoned",
                    "{\"dryRun\": false}");
            actions.forEach((path, body) -> EndpointTests.assertProblem(
                    application.post(ENDPOINT + "/" + path, body),
                    403,
                    "Expected 'konduit.queue.endpoint.allow-writes' to be true for '" + path
                            + "', but it is false. Nothing was changed. Set it where the endpoint is protected."));
            assertThat(rows.everything()).isEqualTo(before);
            assertThat(application
                            .post(ENDPOINT + "/reclaim", "{\"dryRun\": true}")
                            .json()
                            .path("orphans")
                            .path(0)
                            .path("id")
                            .asLong())
                    .isEqualTo(orphan);
            assertThat(application.get(ENDPOINT + "/held").status()).isEqualTo(200);
        }
    }

    @Test
    @Tag("O2")
    void readOnlyAccessOfActuatorLeavesTheActionsOut() {
        try (RunningApplication application = RunningApplication.start(
                database,
                List.of(),
                ALL,
                "konduit.queue.endpoint.allow-writes=true",
                "management.endpoint.konduitqueue.access=read-only",
                "konduit.queue.worker.enabled=false")) {
            assertThat(application.get(ENDPOINT).status()).isEqualTo(200);
            assertThat(application.post(ENDPOINT + "/reclaim", "{}").status()).isEqualTo(405);
        }
    }

    @Test
    @Tag("O1")
    @Tag("O2")
    void theEndpointAnswersOverJmxToo() throws Exception {
        try (RunningApplication application = RunningApplication.start(
                database,
                List.of(),
                "spring.jmx.enabled=true",
                "spring.jmx.default-domain=konduit-test",
                "management.endpoints.jmx.domain=konduit-test",
                "management.endpoints.jmx.exposure.include=konduitqueue",
                "konduit.queue.endpoint.allow-writes=true",
                "konduit.queue.worker.enabled=false")) {
            assertThat(application.get(ENDPOINT).status()).isEqualTo(404);
            rows.clear();
            long held = rows.held("pay");
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = new ObjectName("konduit-test:type=Endpoint,name=Konduitqueue");

            assertThat(((Map<?, ?>) invoke(server, name, "overview")).get("held"))
                    .hasToString("1");
            Map<?, ?> story = (Map<?, ?>) invoke(server, name, "show", "tasks", Long.toString(held));
            assertThat(story.get("explanation")).asString().startsWith("It is held because");
            invoke(server, name, "act", "tasks", Long.toString(held), "release", "over jmx", null);
            assertThat(rows.status(held)).isEqualTo("PENDING");
            assertThat(rows.jdbc()
                            .sql("select actor from konduit_task_incident where action = 'RELEASED'")
                            .query(String.class)
                            .list())
                    .containsExactly("jmx");
            assertThatThrownBy(() -> invoke(server, name, "show", "tasks", "999999"))
                    .isInstanceOf(MBeanException.class)
                    .rootCause()
                    .hasMessageContaining("There is no task 999999");
        }
    }

    private static Object invoke(MBeanServer server, ObjectName name, String operation, Object... arguments)
            throws Exception {
        String[] signature = Arrays.stream(server.getMBeanInfo(name).getOperations())
                .filter(known -> known.getName().equals(operation))
                .flatMap(known -> Arrays.stream(known.getSignature()))
                .map(parameter -> parameter.getType())
                .toArray(String[]::new);
        return server.invoke(name, operation, arguments, signature);
    }

    /** Every path that a controller or endpoint answers. */
    private static Set<String> paths(RunningApplication application) {
        Set<String> paths = application.context().getBeansOfType(AbstractHandlerMethodMapping.class).values().stream()
                .flatMap(mapping -> ((Map<?, ?>) mapping.getHandlerMethods()).keySet().stream())
                .map(Object::toString)
                .collect(Collectors.toCollection(TreeSet::new));
        application.bean(PathMappedEndpoints.class).getAllPaths().forEach(paths::add);
        return paths;
    }

    private static String links(RunningApplication application) {
        return application.get("/actuator").text().replaceAll("localhost:\\d+", "localhost");
    }
}
