package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.JobHandler;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.web.SecurityFilterChain;

/** The dashboard in a real browser. */
@Tag("B1")
@Tag("B4")
class DashboardBrowserTests {
    private static final String MARKUP = "<img src=x onerror=\"document.title='run'\">'&lt;";
    private static final List<String> PAGES =
            List.of("#/", "#/review", "#/tasks", "#/queues", "#/workers", "#/incidents", "#/audit");
    private static final List<String> TITLES =
            List.of("Overview", "Review inbox", "Tasks", "Queues", "Workers", "Incidents", "Audit");

    @RegisterExtension
    static final Browser browser = new Browser();

    @RegisterExtension
    static final OperatedApplication operated = OperatedApplication.secured(
            List.of(Security.class, PayJobs.class),
            "konduit.queue.dashboard.enabled=true",
            "konduit.queue.dashboard.allow-writes=true",
            "konduit.queue.dashboard.write-roles=OPERATOR",
            "konduit.queue.dashboard.show-payloads=always",
            "konduit.queue.reaper-interval=500ms");

    private final Rows rows = operated.rows();

    @Configuration(proxyBeanMethods = false)
    static class Security {
        @Bean
        SecurityFilterChain everything(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return OperatedApplication.adaAndGuest("OPERATOR");
        }
    }

    static class PayJobs {
        @JobHandler(value = "pay", queue = Rows.QUEUE)
        void pay() {}
    }

    @BeforeEach
    void lookAsAda() {
        browser.size(1280, 900, false);
        browser.signIn(operated.application().port(), "ada");
    }

    @Test
    void aCrashArrivesInTheInboxAndIsReleasedAndCompletes() {
        browser.open("#/review", "Review inbox");
        assertThat(browser.text("#page")).contains("Nothing waits for your decision");
        long id = rows.running("pay", UUID.randomUUID(), "-9 s");
        rows.update(id, "reapable = false");
        browser.awaitText("#page", "held: not reapable");
        assertThat(browser.text("#page"))
                .contains("Its worker was lost, and the task must not run twice")
                .contains("lease until");
        browser.awaitText("#held", "1");
        browser.click("[data-key=release-" + id + "]");
        browser.find("dialog textarea").sendKeys("the provider has not charged it");
        browser.click("dialog [data-go=release]");
        browser.awaitText("#page", "Nothing waits for your decision");
        await().atMost(Duration.ofSeconds(60)).until(() -> rows.status(id).equals("COMPLETED"));
        browser.open("#/task/" + id, "pay " + id);
        assertThat(browser.text("#page"))
                .contains(
                        "Held for a person: its lease had ended", "Released by ada", "the provider has not charged it")
                .contains("Completed");
    }

    @Test
    void retriesAThousandThatMatchAfterADryRun() {
        rows.jdbc()
                .sql(
                        "insert into konduit_task (queue, type, payload, priority, status, run_at, attempts, max_attempts, created_at,"
                                + " finished_at) select 'elsewhere', case when i % 2 = 0 then 'mail' else 'other' end, '{}', 2, 'FAILED',"
                                + " clock_timestamp(), 3, 3, clock_timestamp(), clock_timestamp() from generate_series(1, 2000) i")
                .update();
        browser.open("#/tasks?status=FAILED&type=mail", "Tasks");
        assertThat(browser.text("[data-key=tab-FAILED]")).contains("1,000");
        browser.click("[data-key=all-retry]");
        browser.awaitText("dialog", "Dry run: 1,000 tasks match (1,000 failed). Nothing has changed yet.");
        assertThat(count("status = 'FAILED'")).isEqualTo(2_000);
        browser.find("dialog textarea").sendKeys("the provider is back");
        browser.click("dialog [data-go=retry]");
        browser.awaitText("dialog", "Done: 1,000 tasks changed.");
        assertThat(count("status = 'FAILED' and type = 'other'")).isEqualTo(1_000);
        assertThat(count("status = 'PENDING' and type = 'mail' and max_attempts = 4"))
                .isEqualTo(1_000);
        browser.find("dialog .buttons button").sendKeys(Keys.ENTER);
        browser.awaitGone("dialog");
        browser.open("#/audit", "Audit");
        assertThat(browser.text("#page")).contains("ada", "retry", "type=mail", "the provider is back");
    }

    @Test
    @Tag("B2")
    void whatLooksLikeMarkupStaysText() {
        long held = rows.held(MARKUP);
        long failed = rows.failed(MARKUP);
        rows.jdbc()
                .sql(
                        "update konduit_task set queue = :m, unique_key = :m, payload = to_jsonb(:m::text), checkpoint = to_jsonb(:m::text)")
                .param("m", MARKUP)
                .update();
        rows.jdbc()
                .sql("update konduit_task_error set type = :m, message = :m, stack = :m")
                .param("m", MARKUP)
                .update();
        rows.jdbc()
                .sql("update konduit_task_incident set note = :m, actor = :m, queue = :m")
                .param("m", MARKUP)
                .update();
        rows.worker(MARKUP, MARKUP);
        rows.jdbc()
                .sql(
                        "insert into konduit_queue (name, paused_at, paused_by, note) values (:m, clock_timestamp(), :m, :m)")
                .param("m", MARKUP)
                .update();
        rows.jdbc()
                .sql(
                        "insert into konduit_audit (at, actor, action, changed, note) values (clock_timestamp(), :m, 'RETRY', 1, :m)")
                .param("m", MARKUP)
                .update();
        for (int i = 0; i < PAGES.size(); i++) {
            browser.open(PAGES.get(i), TITLES.get(i));
            assertThat(browser.text("#page")).as(PAGES.get(i)).contains(MARKUP);
            assertNoMarkup();
        }
        for (long id : List.of(held, failed)) {
            browser.open("#/task/" + id, MARKUP);
            assertThat(browser.text("#page")).contains(MARKUP);
            assertNoMarkup();
        }
        browser.open("#/review", "Review inbox");
        browser.click("[data-key=evidence-" + held + "] summary");
        browser.awaitText("[data-key=evidence-" + held + "]", MARKUP);
        assertNoMarkup();
        assertThat(browser.errors()).isEmpty();
    }

    private static void assertNoMarkup() {
        assertThat(browser.driver().findElements(By.cssSelector("#page img"))).isEmpty();
        assertThat(browser.driver().getTitle()).isNotEqualTo("run");
    }

    @Test
    @Tag("B2")
    void showsNoActionToThoseWhoMayOnlyRead() {
        long held = rows.held("pay");
        rows.failed("mail");
        browser.signIn(operated.application().port(), "guest");
        for (int i = 0; i < PAGES.size(); i++) {
            browser.open(PAGES.get(i), TITLES.get(i));
            assertThat(browser.script(
                            "return [...document.querySelectorAll('#page button')].map((b) => b.textContent).join()"))
                    .as(PAGES.get(i))
                    .asString()
                    .doesNotContainPattern("Release|Fail|Retry|Cancel|Pause|Resume|Drain");
        }
        browser.open("#/tasks?status=FAILED", "Tasks");
        assertThat(browser.text("#page")).doesNotContain("Retry");
        browser.open("#/task/" + held, "pay");
        assertThat(browser.driver().findElements(By.cssSelector("#page button")))
                .isEmpty();
        assertThat(browser.find("#mode").isDisplayed()).isTrue();
    }

    /** On a large screen and on a phone, light and dark. */
    @ParameterizedTest
    @CsvSource({"1280, false", "1280, true", "360, false", "360, true"})
    void everyPageIsAccessibleQuietAndStaysAtHome(int width, boolean dark) {
        long id = fillEveryPage();
        browser.size(width, 800, dark);
        browser.forgetLogs();
        for (int i = 0; i < PAGES.size(); i++) {
            browser.open(PAGES.get(i), TITLES.get(i));
            assertPage(PAGES.get(i), width);
        }
        browser.open("#/task/" + id, "mail");
        assertPage("#/task", width);
        browser.click("[data-key=retry]");
        assertPage("the dialog", width);
        assertThat(browser.errors()).isEmpty();
        assertThat(browser.requests()).isNotEmpty().allSatisfy(url -> assertThat(
                        URI.create(url).getScheme().equals("about")
                                || "localhost".equals(URI.create(url).getHost()))
                .as(url)
                .isTrue());
    }

    private void assertPage(String page, int width) {
        assertThat(browser.violations()).as(page).isEmpty();
        assertThat((Long) browser.script("return document.documentElement.scrollWidth"))
                .as("width of %s", page)
                .isLessThanOrEqualTo(width);
    }

    /** The checks of the test above can fail. */
    @Test
    void noticesWhatWouldBeWrong() {
        browser.open("#/audit", "Audit");
        assertThat(browser.violations()).isEmpty();
        browser.script("const one = document.createElement('input'); document.getElementById('page').append(one)");
        assertThat(browser.violations()).singleElement().asString().startsWith("label: ");
        assertThat(browser.errors()).isEmpty();
        browser.script("const one = document.createElement('p'); one.setAttribute('style', 'color: red');"
                + " document.body.append(one)");
        assertThat(browser.errors()).singleElement().asString().contains("Content Security Policy", "style-src 'self'");
        browser.script("const one = document.createElement('script'); one.src = 'http://127.0.0.1:9/a.js';"
                + " document.body.append(one)");
        assertThat(browser.errors()).singleElement().asString().contains("script-src 'self'");
        browser.script("setTimeout(() => { throw new Error('on purpose') }, 0)");
        await().untilAsserted(() ->
                assertThat(browser.errors()).singleElement().asString().contains("on purpose"));
    }

    @Test
    void emptyPagesTeach() {
        rows.jdbc().sql("delete from konduit_worker where host = 'host-1'").update();
        for (int i = 0; i < PAGES.size(); i++) {
            browser.open(PAGES.get(i), TITLES.get(i));
            assertPage(PAGES.get(i), 1280);
            assertThat(browser.text("#page")).doesNotContainPattern("NaN|undefined|null|Invalid");
        }
    }

    @Test
    @Tag("B3")
    void plansNoRefreshWhileNobodyLooks() {
        browser.open("#/", "Overview");
        await().until(() -> planned() == 1);
        look("hidden");
        await().until(() -> planned() == 0);
        browser.requests();
        look("visible");
        await().until(() -> planned() == 1);
        await().until(() -> browser.requests().stream().anyMatch(url -> url.endsWith("/konduit/api/overview")));
        browser.click("#refresh");
        await().until(() -> planned() == 0);
        assertThat(browser.text("#refresh")).isEqualTo("Paused");
    }

    private static void look(String state) {
        browser.script(
                "Object.defineProperty(document, 'visibilityState', { value: arguments[0], configurable: true });"
                        + "document.dispatchEvent(new Event('visibilitychange'))",
                state);
    }

    private static long planned() {
        return (Long) browser.script("return window.planned.size");
    }

    @Test
    void isUsedWithTheKeyboardAlone() {
        long id = rows.held("letter");
        browser.open("#/review", "Review inbox");
        browser.script("document.activeElement.blur()");
        browser.driver().switchTo().activeElement().sendKeys(Keys.TAB);
        assertThat(focused()).isEqualTo("skip");
        browser.driver().switchTo().activeElement().sendKeys(Keys.ENTER);
        assertThat(focused()).isEqualTo("main");
        for (int i = 0; i < 30 && !focused().equals("release-" + id); i++) {
            browser.driver().switchTo().activeElement().sendKeys(Keys.TAB);
        }
        assertThat(focused()).isEqualTo("release-" + id);
        browser.driver().switchTo().activeElement().sendKeys(Keys.ENTER);
        assertThat(browser.text("dialog h2")).isEqualTo("Release task " + id + "?");
        browser.driver().switchTo().activeElement().sendKeys(Keys.ESCAPE);
        browser.awaitGone("dialog");
        assertThat(focused()).isEqualTo("release-" + id);
        assertThat(rows.status(id)).isEqualTo("HELD");
    }

    private static String focused() {
        return String.valueOf(
                browser.script("const one = document.activeElement; return one.dataset.key || one.id || one.tagName"));
    }

    /** Something on every page; a failed task. */
    private long fillEveryPage() {
        rows.pending("a.type.with.a.name.that.is.longer.than.anybody.would.like.to.read.on.a.phone");
        rows.dueLater("mail");
        rows.completed("mail");
        rows.held("letter");
        long failed = rows.failed("mail");
        UUID worker = rows.worker("shop-1", "mail", "import");
        rows.silentWorker("shop-2", "mail");
        rows.running("import", worker, "5 min");
        rows.jdbc()
                .sql(
                        "insert into konduit_queue (name, paused_at, paused_by, note) values ('paused', clock_timestamp(), 'ada', 'while the provider is down')")
                .update();
        rows.jdbc()
                .sql(
                        "insert into konduit_queue_audit (queue, action, actor, at) values ('paused', 'PAUSED', 'ada', clock_timestamp())")
                .update();
        rows.jdbc()
                .sql(
                        "insert into konduit_audit (at, actor, action, filter, changed, note) values (clock_timestamp(), 'ada', 'RETRY', '{\"type\": \"mail\"}', 1000, 'again')")
                .update();
        return failed;
    }

    private long count(String where) {
        return rows.jdbc()
                .sql("select count(*) from konduit_task where " + where)
                .query(Long.class)
                .single();
    }
}
