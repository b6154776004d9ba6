package io.konduit.queue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.sample.TutorialPage.Block;
import io.konduit.queue.test.ShellCommands;
import io.konduit.queue.test.TestDatabase;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code docs/tutorial.md} works: its files are written and compiled, its commands are run in their order, and each
 * prints what the page shows below it. Only the builds are played: the artifacts of this project need not be installed.
 */
class TutorialTests {
    private static final Pattern BUILD = Pattern.compile("(mvn -q package|gradle -q bootJar) && (cp (\\S+) \\.\\n)");

    private final TutorialPage page = TutorialPage.read(Path.of("..", "docs", "tutorial.md"));

    @TempDir
    Path shop;

    private TestDatabase database;
    private int port;
    private Map<String, String> environment;

    @BeforeEach
    void prepare() throws IOException {
        database = TestDatabase.create();
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path java = Path.of(System.getProperty("java.home"), "bin");
        environment = Map.of(
                "PATH",
                java + File.pathSeparator + System.getenv("PATH"),
                "JDK_JAVA_OPTIONS",
                "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
                "SERVER_PORT",
                Integer.toString(port),
                "SPRING_DATASOURCE_URL",
                database.jdbcUrl());
    }

    @AfterEach
    void endTheShop() throws IOException {
        Path pid = shop.resolve("shop.pid");
        if (Files.exists(pid)) {
            ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(ProcessHandle::destroyForcibly);
            awaitFreePort();
        }
        database.close();
    }

    @Test
    @Timeout(180)
    void everyStepDoesWhatThePageSays() throws IOException {
        assumeThat(ShellCommands.areAvailable()).as("sh and curl").isTrue();
        int commands = 0;
        for (Block block : page.blocks()) {
            if (block.file() != null) {
                write(block.file(), block.text());
            } else if (block.language().equals("sh")) {
                run(block);
                commands++;
            }
        }
        assertThat(commands).isGreaterThan(15);
        assertThat(Files.readString(shop.resolve("shop.log"))).doesNotContain("duplicate key");
    }

    @Test
    void theBuildFilesNameWhatThisProjectIsBuiltAndTestedWith() throws IOException {
        String project = Files.readString(Path.of("..", "pom.xml"));
        String boot = between(project, "<spring-boot.version>", "<");
        String version = between(project, "<artifactId>konduit-queue</artifactId>\n    <version>", "<");
        String sample = Files.readString(Path.of("pom.xml"));
        String maven = page.file("pom.xml");
        String gradle = page.file("build.gradle.kts");

        assertThat(maven)
                .contains("<artifactId>spring-boot-starter-parent</artifactId>\n        <version>" + boot + "<");
        assertThat(gradle).contains("id(\"org.springframework.boot\") version \"" + boot + "\"");
        String dependencies = between(maven, "<dependencies>", "</dependencies>");
        List<String> artifacts = Pattern.compile("<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)<")
                .matcher(dependencies)
                .results()
                .map(each -> each.group(1) + ":" + each.group(2))
                .toList();
        assertThat(artifacts).hasSize(3).allSatisfy(artifact -> {
            assertThat(sample).contains("<artifactId>" + artifact.split(":")[1] + "</artifactId>");
            assertThat(gradle).contains("implementation(\"" + artifact);
        });
        assertThat(dependencies).contains("<version>" + version + "</version>");
        assertThat(gradle).contains("konduit-queue-spring-boot-starter:" + version + "\"");
    }

    private void run(Block block) throws IOException {
        var build = BUILD.matcher(block.text());
        String script = block.text();
        if (build.matches()) {
            TutorialBuild.of(shop).writeTo(shop.resolve(build.group(3)));
            script = build.group(2);
        }
        // curl of the test fails when the server refuses, which is what the page shows here
        String command = script.replace("pieces=99\"", "pieces=99\" || true");
        if (block.output() == null || !isRead(command)) {
            String output = execute(command);
            if (block.output() != null) {
                assertThat(missing(block.output(), output)).as(output).isEmpty();
            }
            if (command.contains("kill ")) {
                awaitFreePort(); // a reader needs longer than this to build or to start it again
            }
        } else {
            await(command)
                    .atMost(Duration.ofSeconds(40))
                    .pollInterval(Duration.ofMillis(300))
                    .ignoreExceptionsInstanceOf(AssertionError.class)
                    .untilAsserted(() -> {
                        String output = execute(command);
                        assertThat(missing(block.output(), output)).as(output).isEmpty();
                    });
        }
    }

    private void awaitFreePort() {
        await().atMost(Duration.ofSeconds(40)).until(() -> {
            try (ServerSocket free = new ServerSocket(port)) {
                return free.isBound();
            } catch (IOException e) {
                return false;
            }
        });
    }

    private String execute(String script) {
        return ShellCommands.run(script, port, shop, environment);
    }

    /** Commands that may be repeated until they show what a reader sees who takes a little longer to type them. */
    private static boolean isRead(String script) {
        return script.lines().allMatch(line -> line.matches("(curl localhost|grep ).*"));
    }

    /** The lines of the page that the output does not have in this order. On the page, three dots stand for anything. */
    private static List<String> missing(String expected, String output) {
        List<String> left = new ArrayList<>(
                output.lines().filter(line -> !line.startsWith("+")).toList());
        List<String> missing = new ArrayList<>();
        for (String line : expected.lines().toList()) {
            Pattern pattern = Pattern.compile(("\\Q" + line.replace("...", "\\E.*\\Q") + "\\E")
                    // the kill may be later by a batch
                    .replace("after product 30", "after product \\E[1-9]0\\Q"));
            int at = 0;
            while (at < left.size() && !pattern.matcher(left.get(at)).lookingAt()) {
                at++;
            }
            if (at == left.size()) {
                missing.add(line);
            } else {
                left.subList(0, at + 1).clear();
            }
        }
        return missing;
    }

    private void write(String file, String text) throws IOException {
        Path path = shop.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private static String between(String text, String begin, String end) {
        int from = text.indexOf(begin);
        assertThat(from).as(begin).isNotNegative();
        return text.substring(from + begin.length(), text.indexOf(end, from + begin.length()));
    }
}
