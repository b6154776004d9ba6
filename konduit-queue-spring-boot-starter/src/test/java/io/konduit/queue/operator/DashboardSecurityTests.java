package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.konduit.queue.autoconfigure.dashboard.DashboardNotAvailableException;
import io.konduit.queue.test.TestDatabase;
import java.util.List;
import java.util.Map;
import org.apache.commons.logging.LogFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CookieCsrfTokenRepository;

/** B2: the dashboard lives under the application's own security. */
@Tag("B2")
class DashboardSecurityTests {
    private static final String ENABLED = "konduit.queue.dashboard.enabled=true";
    private static final String WRITES = "konduit.queue.dashboard.allow-writes=true";
    private static final String NO_WORKER = "konduit.queue.worker.enabled=false";

    private static TestDatabase database;
    private final Rows rows = new Rows(database);

    @BeforeAll
    static void createDatabase() {
        database = TestDatabase.create();
        RunningApplication.start(database, List.of(), NO_WORKER).close();
    }

    @AfterAll
    static void dropIt() {
        database.close();
    }

    @BeforeEach
    void clear() {
        rows.clear();
    }

    /** Users with a session cookie for the token; ada is an operator, guest is not. */
    @Configuration(proxyBeanMethods = false)
    static class Covered {
        @Bean
        SecurityFilterChain everything(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return OperatedApplication.adaAndGuest("OPERATOR");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class CookieToken {
        @Bean
        SecurityFilterChain everything(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.csrfTokenRepository(CookieCsrfTokenRepository.withHttpOnlyFalse()))
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return OperatedApplication.adaAndGuest("OPERATOR");
        }
    }

    /** As Spring Security recommends for single-page applications: a header carries the token as it is in the cookie. */
    @Configuration(proxyBeanMethods = false)
    static class SinglePage {
        @Bean
        SecurityFilterChain everything(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.spa())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return OperatedApplication.adaAndGuest("OPERATOR");
        }
    }

    /** Lets everybody in, wherever they go. */
    @Configuration(proxyBeanMethods = false)
    static class WideOpen {
        @Bean
        SecurityFilterChain everything(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ElsewhereOnly {
        @Bean
        SecurityFilterChain api(HttpSecurity http) throws Exception {
            return http.securityMatcher("/api/**")
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .build();
        }
    }

    @Test
    void isNotServedUnlessEnabled() {
        try (RunningApplication application =
                RunningApplication.startSecured(database, List.of(Covered.class), NO_WORKER)) {
            assertThat(caller(application, "ada").get("/").status()).isEqualTo(404);
        }
    }

    @Test
    void refusesToStartWithoutSpringSecurity() {
        FailureAnalysis analysis =
                analyse(catchThrowable(() -> RunningApplication.start(database, List.of(), NO_WORKER, ENABLED)));
        assertThat(analysis.getDescription())
                .isEqualTo("The dashboard is enabled, but Spring Security is not active: everybody could open it.");
        assertThat(analysis.getAction())
                .contains(
                        "SecurityFilterChain that covers '/konduit/**'", "'konduit.queue.dashboard.insecure' to true");
    }

    @Test
    void refusesToStartWhereNoFilterChainCoversItsPath() {
        FailureAnalysis analysis = analyse(catchThrowable(
                () -> RunningApplication.startSecured(database, List.of(ElsewhereOnly.class), NO_WORKER, ENABLED)));
        assertThat(analysis.getDescription())
                .startsWith("The dashboard is enabled, but no filter chain of Spring Security covers '/konduit':");
        assertThat(analysis.getAction()).contains("'/konduit/**'", "docs/dashboard.md");
        try (RunningApplication application = RunningApplication.startSecured(
                database,
                List.of(ElsewhereOnly.class),
                NO_WORKER,
                ENABLED,
                "konduit.queue.dashboard.path=/api/queue")) {
            assertThat(new DashboardCaller(application.port(), "/api/queue", null)
                            .get("/")
                            .status())
                    .isIn(401, 403);
        }
    }

    @Test
    void servesEverybodyWhenToldThatItIsInsecure() {
        try (RunningApplication application = RunningApplication.start(
                database, List.of(), NO_WORKER, ENABLED, WRITES, "konduit.queue.dashboard.insecure=true")) {
            DashboardCaller nobody = caller(application, null);
            assertThat(nobody.get("/").status()).isEqualTo(200);
            long id = rows.held("pay");
            Map<String, String> release = Map.of("list", "tasks", "id", "" + id, "action", "release");
            assertThat(nobody.postForm("act", release, false).status())
                    .as("a form of another site")
                    .isEqualTo(403);
            assertThat(rows.status(id)).isEqualTo("HELD");
            assertThat(nobody.post("act", release).status()).isEqualTo(200);
            assertThat(rows.status(id)).isEqualTo("PENDING");
        }
    }

    /** Whatever the filters let pass. */
    @Test
    void asksForASignedInUserItself() {
        try (RunningApplication application =
                RunningApplication.startSecured(database, List.of(WideOpen.class), NO_WORKER, ENABLED, WRITES)) {
            DashboardCaller nobody = caller(application, null);
            assertThat(nobody.get("/").status()).isEqualTo(401);
            assertThat(nobody.get("/assets/app.js").status()).isEqualTo(401);
            assertThat(nobody.get("/api/overview").status()).isEqualTo(401);
            assertThat(nobody.postForm("act", Map.of(), true).status()).isEqualTo(401);
        }
    }

    @Test
    void rolesSayWhoReadsAndWhoWrites() {
        try (RunningApplication application = RunningApplication.startSecured(
                database,
                List.of(Covered.class),
                NO_WORKER,
                ENABLED,
                WRITES,
                "konduit.queue.dashboard.read-roles=OPERATOR,VIEWER",
                "konduit.queue.dashboard.write-roles=ADMIN")) {
            DashboardCaller guest = caller(application, "guest");
            assertThat(guest.get("/").status()).isEqualTo(403);
            assertThat(guest.get("/api/overview").status()).isEqualTo(403);
            assertThat(guest.get("/api/overview").json().path("detail").asString())
                    .contains("User 'guest'", "'konduit.queue.dashboard.read-roles'");
            DashboardCaller ada = caller(application, "ada");
            assertThat(ada.get("/").status()).isEqualTo(200);
            assertThat(ada.get("/api/session").json().path("canWrite").asBoolean())
                    .isFalse();
            long id = rows.held("pay");
            var refused = ada.post("act", Map.of("list", "tasks", "id", "" + id, "action", "release"));
            assertThat(refused.status()).isEqualTo(403);
            assertThat(refused.text()).contains("konduit.queue.dashboard.write-roles", "Nothing was changed");
            assertThat(rows.status(id)).isEqualTo("HELD");
        }
    }

    @Test
    void refusesEveryChangeUnlessWritesAreAllowed() {
        try (RunningApplication application =
                RunningApplication.startSecured(database, List.of(Covered.class), NO_WORKER, ENABLED)) {
            long id = rows.held("pay");
            List<String> before = rows.everything();
            DashboardCaller ada = caller(application, "ada");
            assertThat(ada.get("/api/session").json().path("canWrite").asBoolean())
                    .isFalse();
            for (Map.Entry<String, Map<String, String>> call : Map.of(
                            "act", Map.of("list", "tasks", "id", "" + id, "action", "release"),
                            "bulk", Map.of("action", "release", "type", "pay", "dryRun", "false"),
                            "command", Map.of("action", "reclaim", "dryRun", "false"))
                    .entrySet()) {
                var refused = ada.post(call.getKey(), call.getValue());
                assertThat(refused.status()).as(call.getKey()).isEqualTo(403);
                assertThat(refused.text()).contains("konduit.queue.dashboard.allow-writes");
            }
            assertThat(rows.everything()).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {Covered.class, CookieToken.class, SinglePage.class})
    void changesNeedTheApplicationsOwnTokenAndCarryTheSignedInUser(Class<?> security) {
        try (RunningApplication application =
                RunningApplication.startSecured(database, List.of(security), NO_WORKER, ENABLED, WRITES)) {
            long id = rows.held("pay");
            DashboardCaller ada = caller(application, "ada");
            Map<String, String> release =
                    Map.of("list", "tasks", "id", "" + id, "action", "release", "note", "paid by hand");
            assertThat(ada.postForm("act", release, true).status())
                    .as("without the token; the page for errors asks for a signed-in user again")
                    .isIn(401, 403);
            assertThat(rows.status(id)).isEqualTo("HELD");
            assertThat(ada.post("act", release).status()).isEqualTo(200);
            assertThat(rows.status(id)).isEqualTo("PENDING");
            assertThat(rows.jdbc()
                            .sql("select actor || ': ' || note from konduit_task_incident where action = 'RELEASED'")
                            .query(String.class)
                            .list())
                    .containsExactly("ada: paid by hand");
        }
    }

    @Test
    void answersForbidEverythingThatThePagesDoNotNeed() {
        try (RunningApplication application =
                RunningApplication.startSecured(database, List.of(Covered.class), NO_WORKER, ENABLED)) {
            DashboardCaller ada = caller(application, "ada");
            for (String path : List.of("/", "/assets/app.js", "/assets/style.css", "/api/overview", "/assets/none")) {
                var answer = ada.get(path);
                assertThat(answer.header("Content-Security-Policy"))
                        .as(path)
                        .contains(
                                "default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'")
                        .doesNotContain("unsafe");
                assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
                assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
                assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
            }
            assertThat(ada.get("/api/overview").header("Cache-Control")).contains("no-store");
            assertThat(ada.get("").status()).isEqualTo(302);
            assertThat(ada.get("").header("Location")).isEqualTo("konduit/");
            assertThat(ada.get("/assets/..%2fapplication.yml").status()).isIn(400, 404);
        }
    }

    /** A proxy and a context path in front, and a port of its own for Actuator. */
    @Test
    void worksBelowAContextPathAndBesideAManagementPort() {
        try (RunningApplication application = RunningApplication.startSecured(
                database,
                List.of(Covered.class),
                NO_WORKER,
                ENABLED,
                "server.servlet.context-path=/shop",
                "spring.mvc.servlet.path=/web",
                "server.forward-headers-strategy=framework",
                "management.server.port=0")) {
            DashboardCaller ada = new DashboardCaller(application.port(), "/shop/web/konduit", "ada");
            assertThat(ada.get("").header("Location")).isEqualTo("konduit/");
            assertThat(ada.get("/").text())
                    .contains("href=\"assets/style.css\"")
                    .doesNotContain("href=\"/");
            assertThat(ada.get("/api/overview").status()).isEqualTo(200);
            int management =
                    application.context().getEnvironment().getRequiredProperty("local.management.port", Integer.class);
            assertThat(new DashboardCaller(management, "/konduit", "ada")
                            .get("/")
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void payloadsAreHiddenUnlessShownToThisUser() {
        long held = rows.held("pay");
        long failed = rows.failed("mail");
        try (RunningApplication application =
                RunningApplication.startSecured(database, List.of(Covered.class), NO_WORKER, ENABLED)) {
            DashboardCaller ada = caller(application, "ada");
            for (String path : List.of(
                    "/api/task?id=" + held, "/api/task?id=" + failed, "/api/list?of=held", "/api/list?of=tasks")) {
                assertThat(ada.get(path).text()).as(path).doesNotContain(Rows.CANARY);
            }
            assertThat(ada.get("/api/task?id=" + held).text()).contains("'konduit.queue.dashboard.show-payloads'");
        }
        try (RunningApplication application = RunningApplication.startSecured(
                database,
                List.of(Covered.class),
                NO_WORKER,
                ENABLED,
                "konduit.queue.dashboard.show-payloads=when-authorized",
                "konduit.queue.dashboard.payload-roles=OPERATOR")) {
            assertThat(caller(application, "ada").get("/api/task?id=" + held).text())
                    .contains(Rows.CANARY);
            assertThat(caller(application, "guest").get("/api/task?id=" + held).text())
                    .doesNotContain(Rows.CANARY);
        }
    }

    @Test
    void saysWhatIsWrongWithARequest() {
        try (RunningApplication application =
                RunningApplication.startSecured(database, List.of(Covered.class), NO_WORKER, ENABLED, WRITES)) {
            DashboardCaller ada = caller(application, "ada");
            assertThat(ada.get("/api/list?of=tasks&stauts=HELD").text()).contains("Did you mean 'status'?");
            assertThat(ada.get("/api/list?of=tasks&status=HELD&status=FAILED").status())
                    .isEqualTo(400);
            assertThat(ada.get("/api/task?id=4711").status()).isEqualTo(404);
            assertThat(ada.get("/api/nothing").status()).isEqualTo(404);
            assertThat(ada.post("act", Map.of("list", "tasks", "action", "release"))
                            .text())
                    .contains("Expected 'id', but it is missing");
            assertThat(ada.post("bulk", Map.of("action", "cancel", "dryrun", "false", "type", "a"))
                            .text())
                    .contains("Did you mean 'dryRun'?");
        }
    }

    private static DashboardCaller caller(RunningApplication application, String user) {
        return new DashboardCaller(application.port(), "/konduit", user);
    }

    private static FailureAnalysis analyse(Throwable failure) {
        assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
                .isInstanceOf(DashboardNotAvailableException.class);
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(
                        FailureAnalyzer.class,
                        SpringFactoriesLoader.FailureHandler.logging(LogFactory.getLog(DashboardSecurityTests.class)))
                .stream()
                .filter(analyzer -> analyzer.getClass().getSimpleName().equals("DashboardFailureAnalyzer"))
                .map(analyzer -> analyzer.analyze(failure))
                .findFirst()
                .orElseThrow();
    }
}
