package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.TaskId;
import io.konduit.queue.TaskQueue;
import io.konduit.queue.TaskStatus;
import io.konduit.queue.test.ShellCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/**
 * The commands of the README and of {@code docs/sample.md} work: those for the sample are run, those of the builds name
 * what is there.
 */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "sample.import-time-per-row=1ms",
            "konduit.queue.retry.initial-interval=100ms",
            "konduit.queue.reaper-interval=500ms"
        })
@DirtiesContext
class ReadmeCommandsTests {
    private static final Path ROOT = Path.of("..");
    private static final Pattern CALL = Pattern.compile("`(curl [^`]+)`");
    private static final Pattern BLOCK = Pattern.compile("```sh\\n(.*?)```", Pattern.DOTALL);

    @RegisterExtension
    static final EmptyDatabase database = new EmptyDatabase();

    private final String readme = read("README.md");
    private final String sample = read("docs/sample.md");

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private TaskQueue queue;

    @LocalServerPort
    private int port;

    @DynamicPropertySource
    static void useTestDatabase(DynamicPropertyRegistry registry) {
        database.use(registry);
    }

    @Test
    void theCallsOfTheStoriesAnswer() {
        assumeThat(ShellCommands.areAvailable()).as("sh and curl").isTrue();
        List<String> calls =
                CALL.matcher(sample).results().map(match -> match.group(1)).toList();
        assertThat(calls).hasSizeGreaterThan(6);
        for (String call : calls) {
            // the rolled back sign-up answers with 409, which is its story
            String script = call.contains("fail=true") ? call + " || true" : call.replace("seconds=20", "seconds=0");
            String output = ShellCommands.run(script + "\n", port);
            if (call.contains("fail=true")) {
                assertThat(output).contains("was rolled back");
            }
        }
    }

    @Test
    void theCallsAfterACrashShowTheHeldPaymentAndReleaseIt() {
        assumeThat(ShellCommands.areAvailable()).as("sh and curl").isTrue();
        TaskId lost = LostPayment.held(queue, jdbc, 9);
        List<String> blocks = BLOCK.matcher(sample)
                .results()
                .map(match -> match.group(1))
                .filter(block -> block.contains("konduitqueue/held"))
                .toList();

        assertThat(blocks).hasSize(1);
        String output = ShellCommands.run(blocks.get(0).replace("tasks/5", "tasks/" + lost), port);

        assertThat(output)
                .contains("\"reason\":\"NOT_REAPABLE\"", "It is held because its worker was lost", "not charged");
        await().atMost(Duration.ofSeconds(30)).until(() -> status(lost) == TaskStatus.COMPLETED);
    }

    @Test
    void theBuildCommandsNameModulesAndVersionsThatExist() {
        String pom = read("pom.xml");
        String both = readme + sample;
        for (MatchResult named :
                Pattern.compile("-pl ([\\w-]+)").matcher(both).results().toList()) {
            assertThat(pom).contains("<module>" + named.group(1) + "</module>");
        }
        String settings = read("settings.gradle.kts");
        for (MatchResult named :
                Pattern.compile("gradlew :([\\w-]+):").matcher(both).results().toList()) {
            assertThat(settings).contains(named.group(1));
        }
        assertThat(readme).contains("mvn -q -pl konduit-queue-sample -am spring-boot:run", "mvn verify");
        String version = Pattern.compile("<version>([^<]+)</version>")
                .matcher(pom.substring(pom.indexOf("<artifactId>konduit-queue</artifactId>")))
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
        assertThat(readme)
                .contains("io.konduit:konduit-queue-spring-boot-starter:" + version + "\"")
                .contains("<version>" + version + "</version>");
    }

    private TaskStatus status(TaskId id) {
        return queue.find(id).orElseThrow().status();
    }

    private static String read(String file) {
        try {
            return Files.readString(ROOT.resolve(file));
        } catch (IOException e) {
            throw new IllegalStateException("The tests expect to run in the module's folder.", e);
        }
    }
}
