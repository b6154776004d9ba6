package io.konduit.queue.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.CountedQueue;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TestSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What instances with nothing to do ask of the database, and how often their threads wake up. */
@Tag("long")
@Timeout(300)
class IdleCostTests {
    private static final Duration SETTLING = Duration.ofSeconds(90);
    private static final Duration WINDOW = Duration.ofSeconds(60);

    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static class Handlers {
        @JobHandler("nothing")
        void nothing() {
            // never enqueued
        }
    }

    @Test
    void anIdleInstanceMakesAtMostOneStatementInTwoSeconds() {
        try (CountedQueue first = new CountedQueue(harness.testDatabase());
                CountedQueue second = new CountedQueue(harness.testDatabase())) {
            QueueEngine leader = start(first);
            await().until(() -> harness.count("select count(*) from konduit_shedlock") == 1);
            QueueEngine follower = start(second);
            try {
                rest(SETTLING);
                first.journal().clear();
                second.journal().clear();
                Map<String, Long> wakeUps = wakeUps();
                Map<String, Long> cpu = cpuNanos();
                rest(WINDOW);
                Map<String, Long> later = wakeUps();
                print("microseconds of CPU of thread", cpu, cpuNanos(), 1_000);
                print("wake-ups of thread", wakeUps, later, 1);
                double ofLeader = perSecond("leader", first.journal().statements());
                double ofFollower = perSecond("follower", second.journal().statements());
                assertThat(ofLeader).isLessThanOrEqualTo(0.5);
                assertThat(ofFollower).isLessThanOrEqualTo(0.5);
                later.forEach((thread, number) -> assertThat(number - wakeUps.getOrDefault(thread, 0L))
                        .as("wake-ups of %s in %s", thread, WINDOW)
                        .isLessThanOrEqualTo(WINDOW.toSeconds() + 5));
            } finally {
                follower.stop();
                leader.stop();
            }
        }
    }

    private static QueueEngine start(CountedQueue queue) {
        QueueEngine engine = QueueEngine.builder(
                        queue.database(), TestSettings.defaults(), QueueFixture.registry(new Handlers()))
                .build();
        engine.start();
        return engine;
    }

    /** Idling is what this test observes. */
    private static void rest(Duration time) {
        await().pollDelay(time).atMost(time.plusSeconds(60)).until(() -> true);
    }

    private static double perSecond(String instance, List<String> statements) {
        new TreeMap<>(statements.stream().collect(Collectors.groupingBy(IdleCostTests::name, Collectors.counting())))
                .forEach((name, number) -> System.out.printf(
                        "cost: %s, %.3f per second: %s%n", instance, number / (double) WINDOW.toSeconds(), name));
        double perSecond = statements.size() / (double) WINDOW.toSeconds();
        System.out.printf("cost: %s, %.3f statements per second%n", instance, perSecond);
        return perSecond;
    }

    private static String name(String sql) {
        String line = sql.strip().replaceAll("\\s+", " ");
        return line.substring(0, Math.min(70, line.length()));
    }

    private static void print(String what, Map<String, Long> before, Map<String, Long> after, double unit) {
        after.forEach((name, number) -> System.out.printf(
                "cost: %s %s: %.2f per second%n",
                what, name, (number - before.getOrDefault(name, 0L)) / unit / WINDOW.toSeconds()));
    }

    /** A thread that waits gives up its processor: once per wake-up. */
    private static Map<String, Long> wakeUps() {
        Map<String, Long> all = new TreeMap<>();
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            threads.forEach(thread -> add(thread, all));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all;
    }

    private static void add(Path thread, Map<String, Long> all) {
        try {
            String name = Files.readString(thread.resolve("comm")).strip();
            if (name.startsWith("konduit")) {
                String switches = Files.readAllLines(thread.resolve("status")).stream()
                        .filter(line -> line.startsWith("voluntary_ctxt_switches"))
                        .findFirst()
                        .orElseThrow();
                all.put(name + " " + thread.getFileName(), Long.parseLong(switches.replaceAll("\\D", "")));
            }
        } catch (IOException e) {
            // it has ended meanwhile
        }
    }

    private static Map<String, Long> cpuNanos() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<String, Long> all = new TreeMap<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("konduit")) {
                all.put(thread.getName() + " " + thread.getId(), threads.getThreadCpuTime(thread.getId()));
            }
        }
        return all;
    }
}
