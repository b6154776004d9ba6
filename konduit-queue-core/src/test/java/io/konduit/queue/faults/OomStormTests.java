package io.konduit.queue.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TestNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Handlers that fill a heap of 64 MB again and again: whichever thread gets the error, nothing is kept for ever. */
@Timeout(400)
class OomStormTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    static final class Hogs {
        @JobHandler("hog")
        void hog() {
            List<byte[]> all = new ArrayList<>();
            int size = 1 << 20;
            while (size > 16) {
                try {
                    while (true) {
                        all.add(new byte[size]);
                    }
                } catch (OutOfMemoryError e) {
                    size /= 4;
                }
            }
            long end = System.nanoTime() + 20_000_000;
            while (System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            throw new IllegalStateException("held " + all.size());
        }

        @JobHandler("quick")
        void quick() {}
    }

    /** The other JVM. */
    static final class Main {
        public static void main(String[] arguments) throws InterruptedException {
            HikariDataSource dataSource = new HikariDataSource();
            dataSource.setJdbcUrl(arguments[0]);
            dataSource.setMaximumPoolSize(5);
            dataSource.setMinimumIdle(1);
            TestNode node = new TestNode(
                    dataSource, new TestNode.Options("oom", 4, Duration.ofSeconds(1), 1000), its -> new Hogs());
            node.start();
            new Thread(() -> {
                        while (true) {
                            try {
                                Thread.sleep(2000);
                                String bad = node.worker().loops().stream()
                                        .filter(loop -> !loop.isWell())
                                        .toList()
                                        .toString();
                                System.out.println("LOOPS not well: " + bad);
                            } catch (Throwable e) {
                                // goes on
                            }
                        }
                    })
                    .start();
            new CountDownLatch(1).await();
        }
    }

    @Test
    void nothingIsKeptForEverAfterTheHeapWasFullAgainAndAgain() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-OmitStackTraceInFastThrow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        harness.testDatabase().jdbcUrl())
                .redirectErrorStream(true)
                .redirectOutput(Path.of("target", "oom-storm.log").toFile())
                .start();
        try {
            insert("quick", 500);
            await().atMost(Duration.ofSeconds(60)).until(() -> count("konduit_task_history") == 500);
            for (int i = 0; i < 3; i++) {
                insert("quick", 300);
                insert("hog", 8);
                await().pollDelay(Duration.ofSeconds(4))
                        .atMost(Duration.ofSeconds(6))
                        .until(() -> true);
                System.out.println("STORM " + i + ": " + states());
            }
            // no more hogs
            harness.testDatabase()
                    .execute(
                            "update konduit_task set run_at = now() + interval '1 day' where type = 'hog' and status = 'PENDING'");
            try {
                await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
                    harness.testDatabase()
                            .execute(
                                    "update konduit_task set run_at = now() + interval '1 day' where type = 'hog' and status = 'PENDING'",
                                    "update konduit_task set run_at = now() where type = 'quick' and status = 'PENDING' and run_at > now() + interval '5 s'");
                    assertThat(count("konduit_task where status in ('RUNNING', 'PENDING') and run_at <= now()"))
                            .as(states())
                            .isZero();
                });
            } finally {
                System.out.println("STORM end: " + states());
                insert("quick", 50);
                await().pollDelay(Duration.ofSeconds(10))
                        .atMost(Duration.ofSeconds(12))
                        .until(() -> true);
                System.out.println("STORM after 50 more: " + states() + " alive " + process.isAlive());
            }
        } finally {
            process.destroyForcibly();
        }
    }

    private static String states() {
        return harness.jdbc()
                        .sql(
                                "select coalesce(string_agg(s, ', '), '') from (select type || ' ' || status || ' ' || count(*) || ' oldest ' || coalesce(max(now() - locked_at)::text, '-') || ' lease ' || coalesce(min(lock_timeout_at - now())::text, '-') as s from konduit_task group by type, status) x")
                        .query(String.class)
                        .single()
                + "; done " + count("konduit_task_history") + ", incidents " + count("konduit_task_incident");
    }

    private static void insert(String type, int tasks) {
        harness.testDatabase()
                .execute(
                        "insert into konduit_task (queue, type, payload, priority, status, run_at, created_at, max_attempts)"
                                + " select 'default', '" + type
                                + "', to_jsonb('x'::text), 2, 'PENDING', now(), now(), 1000000"
                                + " from generate_series(1, " + tasks + ")");
    }

    private static long count(String from) {
        return harness.jdbc()
                .sql("select count(*) from " + from)
                .query(Long.class)
                .single();
    }
}
