package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** S11, S12: applications without a web server, each in a JVM of its own. */
@Timeout(180)
@EnabledOnOs({OS.LINUX, OS.MAC})
class StandaloneApplicationTests {
    /** What a shell shows for a process that SIGTERM has ended. */
    private static final int TERMINATED = 128 + 15;

    @RegisterExtension
    static final EmptyDatabase database = new EmptyDatabase();

    @Test
    @Tag("S11")
    void aWorkerRunsUntilItIsTerminated() {
        try (StandaloneJvm application = start().awaitLine("ready")) {
            // long enough after the main thread has ended
            enqueueGreeting("Ada", "2 s");
            application.awaitLine("hello Ada");

            application.terminate();

            assertThat(application.exitCode()).isEqualTo(TERMINATED);
            assertThat(registered()).as("left the registry").isZero();
        }
    }

    @Test
    @Tag("S11")
    void aWorkerEndsWhenItsContextIsClosed() {
        try (StandaloneJvm application = start("standalone.close=true")) {
            application.awaitLine("ready");
            assertThat(application.exitCode()).isZero();
        }
    }

    @Test
    @Tag("S4")
    void anApplicationThatOnlyEnqueuesEndsByItself() {
        try (StandaloneJvm application = start("konduit.queue.worker.enabled=false")) {
            application.awaitLine("ready");
            assertThat(application.exitCode()).isZero();
        }
    }

    @Test
    @Tag("S11")
    void anApplicationThatCannotStartEnds() {
        try (StandaloneJvm application = start("standalone.fail-to-start=true")) {
            assertThat(application.exitCode()).isEqualTo(1);
        }
    }

    @Test
    @Tag("S11")
    @Tag("S12")
    void anInstanceThatOnlyRunsChoresRunsUntilItIsTerminated() {
        try (StandaloneJvm application =
                start("konduit.queue.worker.enabled=false", "konduit.queue.chores.enabled=true")) {
            application.awaitLine("ready");
            long orphan = orphan();

            await().until(() -> "PENDING".equals(status(orphan)) || !application.isAlive());
            assertThat(status(orphan)).isEqualTo("PENDING");
            application.terminate();

            assertThat(application.exitCode()).isEqualTo(TERMINATED);
            assertThat(registered()).as("left the registry").isZero();
        }
    }

    private static StandaloneJvm start(String... properties) {
        return StandaloneJvm.start(database.get().jdbcUrl(), properties);
    }

    private static JdbcClient jdbc() {
        return JdbcClient.create(database.get().dataSource());
    }

    private static void enqueueGreeting(String name, String delay) {
        jdbc().sql("insert into konduit_task (queue, type, payload, priority, status, run_at, created_at)"
                        + " values ('default', 'greet', to_jsonb(:name::text), 2, 'PENDING',"
                        + " clock_timestamp() + :delay::interval, clock_timestamp())")
                .param("name", name)
                .param("delay", delay)
                .update();
    }

    /** Of a type that nobody knows, and whose worker is gone. */
    private static long orphan() {
        return jdbc().sql("insert into konduit_task (queue, type, payload, priority, status, run_at, created_at,"
                        + " attempts, max_attempts, reapable, lease_epoch, locked_by, locked_at, lock_timeout_at)"
                        + " values ('default', 'unknown', '1', 2, 'RUNNING', clock_timestamp(), clock_timestamp(), 1, 3,"
                        + " true, 1, :worker, clock_timestamp() - interval '6 min', clock_timestamp() - interval '1 min')"
                        + " returning id")
                .param("worker", UUID.randomUUID())
                .query(Long.class)
                .single();
    }

    private static String status(long task) {
        return jdbc().sql("select status from konduit_tasks where id = :id")
                .param("id", task)
                .query(String.class)
                .single();
    }

    private static long registered() {
        return jdbc().sql("select count(*) from konduit_worker")
                .query(Long.class)
                .single();
    }
}
