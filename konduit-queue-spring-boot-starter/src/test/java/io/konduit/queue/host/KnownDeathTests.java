package io.konduit.queue.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.test.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * K1, K2: applications with default settings, in JVMs of their own, of which one is killed or stopped with twenty running
 * tasks. Its leases would last for five minutes.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES)
@EnabledOnOs({OS.LINUX, OS.MAC})
class KnownDeathTests {
    private static final int TASKS = 20;
    /** K2 is 10 s. The default test run shares its machine, and only shows that no lease was waited for. */
    private static final Duration PATIENCE = Duration.ofSeconds(45);

    private final List<StandaloneJvm> jvms = new ArrayList<>();
    private TestDatabase database;
    private JdbcClient jdbc;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        jdbc = JdbcClient.create(database.dataSource());
        jdbc.sql("create table digs (task_id bigint, epoch bigint, pid bigint, at timestamptz)")
                .update();
    }

    @AfterEach
    void endAll() {
        jvms.forEach(StandaloneJvm::close);
        database.close();
    }

    /** The harder case: a follower must take over first. That of a worker is below. */
    @Test
    @Tag("K1")
    @Tag("K2")
    @Tag("E2")
    void theTasksOfAKilledLeaderRunAgainWithinSeconds() {
        killLeader();
    }

    @Test
    @Tag("K2")
    @Tag("X28")
    @Tag("long")
    void tenTimesInARowTheTasksRunAgainWithinTenSeconds() {
        for (int round = 1; round <= 10; round++) {
            assertWithinTenSeconds(killWorker());
            endAll();
            createDatabase();
            assertWithinTenSeconds(killLeader());
            endAll();
            createDatabase();
        }
    }

    /** SIGSTOP for almost twice the grace, as a long collection or a machine that is moved. */
    @Test
    @Tag("K3")
    @Tag("X28")
    @Tag("long")
    void aFrozenWorkerKeepsItsTasksAndItsHandlers() throws Exception {
        StandaloneJvm frozen = startLeaderAndTakeAll();
        StandaloneJvm other = start();
        for (int round = 0; round < 5; round++) {
            frozen.signal("STOP");
            TimeUnit.SECONDS.sleep(9);
            frozen.signal("CONT");
            TimeUnit.SECONDS.sleep(2);
        }
        assertThat(digs(other)).as("taken").isZero();
        assertThat(jdbc.sql("select count(*) from digs").query(Long.class).single())
                .as("runs: an interrupted handler would run again")
                .isEqualTo(TASKS);
        assertThat(jdbc.sql("select count(*) from konduit_task_incident")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    private StandaloneJvm startLeaderAndTakeAll() {
        StandaloneJvm leader = start("konduit.queue.worker.queues=none");
        await().atMost(PATIENCE).until(() -> leads(leader));
        return takeAll();
    }

    private static void assertWithinTenSeconds(Recovery recovery) {
        assertThat(recovery.first()).isLessThanOrEqualTo(Duration.ofSeconds(10));
        assertThat(recovery.last()).isLessThanOrEqualTo(Duration.ofSeconds(12));
    }

    /** How long after the kill tasks ran again. */
    private record Recovery(Duration first, Duration last) {}

    private Recovery killWorker() {
        StandaloneJvm leader = start("konduit.queue.worker.queues=none");
        await().atMost(PATIENCE).until(() -> leads(leader));
        return kill("worker");
    }

    private Recovery killLeader() {
        return kill("leader");
    }

    /** The victim takes all tasks, then another worker starts, then the victim is killed. */
    private Recovery kill(String role) {
        StandaloneJvm victim = takeAll();
        StandaloneJvm other = start();
        assertThat(leads(victim)).isEqualTo(role.equals("leader"));

        String killedAt =
                jdbc.sql("select clock_timestamp()::text").query(String.class).single();
        victim.kill();

        await().atMost(PATIENCE).until(() -> digs(other) == TASKS);
        Recovery recovery = recovery(killedAt, other);
        System.out.printf(
                "known death: %s killed, first task again after %d ms, all after %d ms%n",
                role, recovery.first().toMillis(), recovery.last().toMillis());
        assertThat(jdbc.sql("select count(*) from konduit_task_incident where classification = 'WORKER_GONE'"
                                + " and last_beat_at < witness_gone_at and witness_gone_at < detected_at")
                        .query(Long.class)
                        .single())
                .isEqualTo(TASKS);
        return recovery;
    }

    /** A worker that runs all tasks. */
    private StandaloneJvm takeAll() {
        StandaloneJvm worker = start();
        for (int i = 0; i < TASKS; i++) {
            jdbc.sql(
                            "insert into konduit_task (queue, type, payload, priority, status, run_at, lease_epoch, created_at)"
                                    + " values ('default', 'dig', 'null', 2, 'PENDING', clock_timestamp(), 0, clock_timestamp())")
                    .update();
        }
        await().atMost(PATIENCE).until(() -> digs(worker) == TASKS);
        return worker;
    }

    private Recovery recovery(String killedAt, StandaloneJvm other) {
        return jdbc.sql(
                        "select extract(epoch from min(at) - :killed::timestamptz) * 1000 as first,"
                                + " extract(epoch from max(at) - :killed::timestamptz) * 1000 as last from digs where pid = :pid")
                .param("killed", killedAt)
                .param("pid", other.pid())
                .query((row, number) ->
                        new Recovery(Duration.ofMillis(row.getLong("first")), Duration.ofMillis(row.getLong("last"))))
                .single();
    }

    /** With a witness: the kill comes after that. */
    private StandaloneJvm start(String... properties) {
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = "konduit.queue.worker.concurrency=" + TASKS;
        StandaloneJvm jvm = StandaloneJvm.startWithDefaults(database.jdbcUrl(), all);
        jvms.add(jvm);
        jvm.awaitLine("ready");
        await().atMost(PATIENCE)
                .until(() -> jdbc.sql("select count(*) from konduit_worker where pid = :pid and witness is not null")
                        .param("pid", jvm.pid())
                        .query(Long.class)
                        .single()
                        .equals(1L));
        return jvm;
    }

    private long digs(StandaloneJvm jvm) {
        return jdbc.sql("select count(distinct task_id) from digs where pid = :pid")
                .param("pid", jvm.pid())
                .query(Long.class)
                .single();
    }

    private boolean leads(StandaloneJvm jvm) {
        return jdbc.sql("select count(*) from konduit_shedlock s join konduit_worker w on w.id::text = s.locked_by"
                        + " where w.pid = :pid and s.lock_until > timezone('utc', clock_timestamp())")
                .param("pid", jvm.pid())
                .query(Long.class)
                .single()
                .equals(1L);
    }
}
