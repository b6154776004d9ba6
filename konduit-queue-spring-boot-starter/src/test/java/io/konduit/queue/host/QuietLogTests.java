package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.test.RestartablePostgres;
import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** How much an application in a JVM of its own logs because it has the queue. */
@Timeout(180)
@EnabledOnOs({OS.LINUX, OS.MAC})
class QuietLogTests {
    /** The queue, its Flyway (the application has none), its pool and its lock; not the application's own class. */
    private static final Pattern OURS =
            Pattern.compile("INFO +\\[[^]]*] (i\\.k\\.q\\.(?!h\\.)|o\\.f\\.|n\\.j\\.s|c\\.z\\.h.* konduit)");

    private static final String[] AT_INFO = {"logging.level.root=info", "logging.level.io.konduit=info"};

    @Test
    @Tag("L12")
    void aNormalStartSaysTwoThingsAndTheFirstOneMore() {
        try (TestDatabase database = TestDatabase.create()) {
            assertThat(linesOfAStart(database))
                    .hasSize(3)
                    .anyMatch(line -> line.matches(".*The tables of the queue in .* are now at version \\d+"))
                    .anyMatch(line -> line.contains("handles [dig, greet, part] in queues [default]"))
                    .anyMatch(line -> line.contains("leads: it runs the background chores"));
            assertThat(linesOfAStart(database))
                    .hasSize(2)
                    .anyMatch(line -> line.contains("handles [dig, greet, part] in queues [default]"))
                    .anyMatch(line -> line.contains("leads: it runs the background chores"));
        }
    }

    private static List<String> linesOfAStart(TestDatabase database) {
        try (StandaloneJvm application = StandaloneJvm.start(database.jdbcUrl(), AT_INFO)) {
            application.awaitLine("ready");
            await().until(() -> application.lines().stream().anyMatch(line -> line.contains(" leads: ")));
            List<String> lines = application.lines();
            application.terminate();
            application.exitCode();
            return lines.stream().filter(line -> OURS.matcher(line).find()).toList();
        }
    }

    /**
     * All intervals are a tenth of their defaults, so that twelve seconds bring as many failures as two minutes. The
     * application does nothing but work for the queue: every line, those of stack traces included, is the queue's.
     */
    @Test
    @Tag("H7")
    void anOutageIsSaidInAFewLines() {
        try (RestartablePostgres server = RestartablePostgres.start();
                StandaloneJvm application = StandaloneJvm.start(
                        server.jdbcUrl(),
                        AT_INFO[0],
                        AT_INFO[1],
                        "konduit.queue.lock-timeout=30s",
                        "konduit.queue.worker.heartbeat-interval=1s",
                        "konduit.queue.worker.stale-threshold=6s",
                        "konduit.queue.worker.queues=default,a,b,c",
                        "konduit.queue.worker.queue-concurrency.a=1",
                        "konduit.queue.worker.queue-concurrency.b=1",
                        "konduit.queue.worker.queue-concurrency.c=1",
                        "konduit.queue.leader.lock-ttl=3s",
                        "konduit.queue.leader.renew-interval=1s",
                        "konduit.queue.leader.acquire-retry-interval=500ms",
                        "konduit.queue.retention.interval=1s")) {
            application.awaitLine("ready");
            await().until(() -> application.lines().stream().anyMatch(line -> line.contains(" leads: ")));
            int before = application.lines().size();

            server.stop();
            await().during(Duration.ofSeconds(12))
                    .atMost(Duration.ofSeconds(20))
                    .until(application::isAlive);
            server.restart();
            await().atMost(Duration.ofSeconds(30)).until(() -> application.lines().stream()
                    .skip(before)
                    .anyMatch(line -> line.contains("The database answers again")));

            List<String> lines =
                    application.lines().subList(before, application.lines().size());
            assertThat(lines).as(String.join("\n", lines)).hasSizeLessThanOrEqualTo(10);
            assertThat(lines).noneMatch(line -> line.contains("shedlock") || line.contains("n.j.s"));
            assertThat(lines).noneMatch(line -> line.startsWith("\tat "));
        }
    }
}
