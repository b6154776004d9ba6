package io.konduit.queue.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.openqa.selenium.By;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real browser without a window. Tests are skipped where none is installed, unless the environment requires it. */
final class Browser implements BeforeAllCallback, AfterAllCallback {
    private static final String REQUIRED = "KONDUIT_TEST_REQUIRE_SERVERS";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration CLICK_PATIENCE = Duration.ofSeconds(10);

    /** What the page has planned, so that a test can see that a hidden page plans nothing. */
    private static final String WATCH_TIMERS = """
            window.planned = new Set();
            const plan = window.setTimeout, drop = window.clearTimeout;
            window.setTimeout = (what, after, ...rest) => {
              const id = plan((...all) => { window.planned.delete(id); what(...all); }, after, ...rest);
              window.planned.add(id);
              return id;
            };
            window.clearTimeout = (id) => { window.planned.delete(id); drop(id); };
            """;

    private ChromeDriver driver;
    private String address = "";

    @Override
    public void beforeAll(ExtensionContext context) {
        String chromium = program("chromium");
        String chromedriver = program("chromedriver");
        boolean found = !chromium.isEmpty() && !chromedriver.isEmpty();
        if (Boolean.parseBoolean(System.getenv(REQUIRED))) {
            assertThat(found)
                    .as("chromium and chromedriver must be on the PATH: " + REQUIRED + " is true")
                    .isTrue();
        }
        assumeTrue(found, "chromium and chromedriver are not on the PATH. Install them to run this test.");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        logs.enable(LogType.BROWSER, Level.ALL);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium);
        options.setCapability("goog:loggingPrefs", logs);
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-default-apps",
                "--disable-extensions",
                "--disable-sync",
                "--no-first-run",
                "--force-color-profile=srgb",
                "--hide-scrollbars",
                "--lang=en-GB");
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(new File(chromedriver))
                .usingAnyFreePort()
                .build();
        driver = new ChromeDriver(service, options);
        driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", WATCH_TIMERS));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (driver != null) {
            driver.quit();
        }
    }

    private static String program(String name) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse("");
    }

    ChromeDriver driver() {
        return driver;
    }

    /** Signs in with the login page of Spring Security. The password is the name. */
    void signIn(int port, String user) {
        address = "http://localhost:" + port;
        driver.get(address + "/login");
        driver.manage().deleteAllCookies();
        await().atMost(PATIENCE).until(() -> submitLogin(user));
        forgetLogs();
    }

    /** False if the page is still there after a while: a busy browser may lose a click on a page that has just come. */
    private boolean submitLogin(String user) {
        driver.get(address + "/login");
        driver.findElement(By.name("username")).sendKeys(user);
        driver.findElement(By.name("password")).sendKeys(user);
        driver.findElement(By.cssSelector("button[type=submit]")).click();
        long end = System.nanoTime() + CLICK_PATIENCE.toNanos();
        while (driver.getCurrentUrl().endsWith("/login") && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(50_000_000);
        }
        return !driver.getCurrentUrl().endsWith("/login");
    }

    void size(int width, int height, boolean dark) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** Opens a page of the dashboard and waits until it has its data. */
    void open(String page, String title) {
        driver.get("about:blank");
        driver.get(address + "/konduit/" + page);
        await().atMost(PATIENCE)
                .ignoreException(StaleElementReferenceException.class)
                .until(() -> text("h1").contains(title) && !text("#page").contains("Reading the queue"));
    }

    WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    String text(String css) {
        Object text = script("return (document.querySelector(arguments[0]) || {}).textContent || ''", css);
        return String.valueOf(text);
    }

    /** As soon as it is there and can be used. */
    void click(String css) {
        await().atMost(PATIENCE)
                .ignoreException(NoSuchElementException.class)
                .ignoreException(StaleElementReferenceException.class)
                .until(() -> {
                    WebElement element = find(css);
                    if (!element.isEnabled()) {
                        return false;
                    }
                    script("arguments[0].scrollIntoView({block: 'center'})", element);
                    element.click();
                    return true;
                });
    }

    void awaitText(String css, String text) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(text(css)).contains(text));
    }

    void awaitGone(String css) {
        await().atMost(PATIENCE)
                .until(() -> driver.findElements(By.cssSelector(css)).isEmpty());
    }

    Object script(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Errors of scripts, and what the Content-Security-Policy has blocked. */
    List<String> errors() {
        List<String> errors = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            // axe-core looks at colours with a canvas; the dashboard has none
            boolean ofAxe = entry.getMessage().contains("Canvas2D: Multiple readback");
            if (entry.getLevel().intValue() >= Level.WARNING.intValue() && !ofAxe) {
                errors.add(entry.getMessage());
            }
        }
        return errors;
    }

    /** The addresses of all requests since the logs were last read. */
    List<String> requests() {
        List<String> requests = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
            JsonNode message = JsonMapper.shared().readTree(entry.getMessage()).path("message");
            if (message.path("method").asString().equals("Network.requestWillBeSent")) {
                requests.add(message.path("params").path("request").path("url").asString());
            }
        }
        return requests;
    }

    void forgetLogs() {
        errors();
        requests();
    }

    /** What axe-core finds wrong for people with disabilities. */
    List<String> violations() {
        return violations(axe());
    }

    private List<String> violations(String axe) {
        // injected over the protocol: the policy of the page would not let it in
        driver.executeCdpCommand("Runtime.evaluate", Map.of("expression", axe));
        Object found = driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }).then((result) =>
                  done(result.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.target.join(' ') + ' ' + node.failureSummary).join(' | '))));
                """);
        List<String> texts = new ArrayList<>();
        ((List<?>) found).forEach(one -> texts.add(String.valueOf(one)));
        return texts;
    }

    private static String axe() {
        try (var in = Browser.class.getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
            assertThat(in).as("axe-core on the class path").isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    byte[] screenshot() {
        Map<String, Object> found = driver.executeCdpCommand("Page.captureScreenshot", Map.of("format", "png"));
        return Base64.getDecoder().decode(String.valueOf(found.get("data")));
    }
}
