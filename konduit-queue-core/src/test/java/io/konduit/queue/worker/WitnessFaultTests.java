package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.JobHandler;
import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.TaskContext;
import io.konduit.queue.TestSettings;
import io.konduit.queue.With;
import io.konduit.queue.engine.QueueEngine;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.settings.WitnessSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * K3: a living worker whose sessions end, under a leader that looks at its witness. Leases last for five minutes, so that
 * nothing but the witness can end one.
 */
@Tag("K3")
@Timeout(600)
class WitnessFaultTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Pattern ADDRESS = Pattern.compile("//([^:/]+):(\\d+)/");

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    @Test
    void sessionsThatAreKilledUnderLoadCostNoTask() {
        killSessions(4);
    }

    @Test
    @Tag("X28")
    @Tag("long")
    void twoHundredSessionsThatAreKilledUnderLoadCostNoTask() {
        killSessions(200);
    }

    private void killSessions(int kills) {
        AtomicInteger runs = new AtomicInteger();
        startLeader(GRACE);
        QueueEngine worker = start(harness.testDatabase().dataSource(), GRACE, new Object() {
            @JobHandler("busy")
            void run() throws InterruptedException {
                TimeUnit.MILLISECONDS.sleep(100);
                runs.incrementAndGet();
            }
        });
        int enqueued = 0;
        for (int kill = 0; kill < kills; kill++) {
            for (int i = 0; i < 10; i++) {
                worker.taskQueue().enqueue("busy", null);
                enqueued++;
            }
            await().until(() -> witnesses(worker) == 1);
            harness.jdbc()
                    .sql(
                            "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid::bigint = :witness")
                    .param("witness", number(worker))
                    .query()
                    .listOfRows();
        }
        int expected = enqueued;
        await().atMost(Duration.ofSeconds(60)).until(() -> completedAtOnce() == expected);
        await().until(() -> witnesses(worker) == 1);
        assertThat(runs).hasValue(expected);
        assertThat(incidents()).isZero();
    }

    /** The server keeps the session, so nobody misses it. */
    @Test
    @Tag("X28")
    @Tag("long")
    void cutsOfHalfTheDefaultGraceCostNoTask() throws Exception {
        AtomicInteger interrupted = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        Duration grace = WitnessSettings.defaults().grace();
        startLeader(grace);
        SilentNetwork network = network();
        QueueEngine worker = start(behind(network), grace, new Object() {
            @JobHandler("long")
            void run() throws InterruptedException {
                runs.incrementAndGet();
                try {
                    TimeUnit.MINUTES.sleep(5);
                } catch (InterruptedException e) {
                    interrupted.incrementAndGet();
                    throw e;
                }
            }
        });
        for (int i = 0; i < 4; i++) {
            harness.queue().enqueue("long", null);
        }
        await().until(() -> runs.get() == 4 && witnesses(worker) == 1);
        for (int cut = 0; cut < 20; cut++) {
            network.hold();
            TimeUnit.NANOSECONDS.sleep(grace.toNanos() / 2);
            network.release();
            // at another phase of the verification each time
            TimeUnit.MILLISECONDS.sleep(2_000 + 130L * cut);
        }
        System.out.printf("20 cuts of half the grace: %d of 4 handlers interrupted%n", interrupted.get());
        assertThat(incidents()).isZero();
        assertThat(runs.get() - interrupted.get()).as("running").isEqualTo(4);
        assertThat(harness.count("select count(*) from konduit_task where attempts - coalesce(uncharged, 0) > 1"))
                .as("charged for a cut")
                .isZero();
    }

    /** The server ends the sessions of a worker that it cannot reach any more. */
    @Test
    @Tag("X28")
    void handlersOfAWorkerThatIsCutOffHaveEndedWhenTheirTasksAreTaken() throws Exception {
        Map<Long, Long> endedAt = new ConcurrentHashMap<>();
        startLeader(GRACE);
        SilentNetwork network = network();
        QueueEngine worker = start(behind(network), GRACE, new Object() {
            @JobHandler("long")
            void run(TaskContext task) {
                try {
                    TimeUnit.MINUTES.sleep(5);
                } catch (InterruptedException e) {
                    endedAt.put(task.id().value(), System.currentTimeMillis());
                }
            }
        });
        for (int i = 0; i < 4; i++) {
            harness.queue().enqueue("long", null);
        }
        await().until(() -> running() == 4 && witnesses(worker) == 1);

        network.silenceAll();
        harness.jdbc()
                .sql(
                        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid::bigint = :witness")
                .param("witness", number(worker))
                .query()
                .listOfRows();

        await().atMost(Duration.ofSeconds(30)).until(() -> incidents() == 4);
        Map<Long, Long> takenAt = new ConcurrentHashMap<>();
        harness.jdbc()
                .sql("select task_id, (extract(epoch from detected_at) * 1000)::bigint as at from konduit_task_incident"
                        + " where classification = 'WORKER_GONE'")
                .query((row, number) -> takenAt.put(row.getLong("task_id"), row.getLong("at")))
                .list();
        assertThat(takenAt).hasSize(4).allSatisfy((task, at) -> assertThat(endedAt.get(task))
                .as("end of the handler of task " + task)
                .isNotNull()
                .isLessThan(at));
        // a stop would wait for answers
        network.refuse();
        network.heal();
    }

    /** Looks at the witnesses, and runs nothing. */
    private void startLeader(Duration grace) {
        QueueEngine leader = engine(harness.testDatabase().dataSource(), grace, "elsewhere");
        leader.start();
        opened.add(leader::stop);
        await().until(() -> harness.jdbc()
                        .sql("select count(*) from konduit_shedlock where locked_by = :id")
                        .param("id", leader.registry().identity().id().toString())
                        .query(Long.class)
                        .single()
                == 1);
    }

    private SilentNetwork network() throws IOException {
        Matcher address = address();
        SilentNetwork network = new SilentNetwork(address.group(1), Integer.parseInt(address.group(2)));
        opened.add(network);
        return network;
    }

    private DataSource behind(SilentNetwork network) {
        HikariDataSource application = harness.testDatabase().newPool(1);
        application.setJdbcUrl(address().replaceFirst("//localhost:" + network.port() + "/"));
        opened.add(application);
        return application;
    }

    private static Matcher address() {
        Matcher address = ADDRESS.matcher(harness.testDatabase().jdbcUrl());
        assertThat(address.find()).isTrue();
        return address;
    }

    private QueueEngine start(DataSource dataSource, Duration grace, Object handlers) {
        QueueEngine worker = engine(dataSource, grace, "default", handlers);
        worker.start();
        opened.add(worker::stop);
        return worker;
    }

    private QueueEngine engine(DataSource dataSource, Duration grace, String queue, Object... handlers) {
        ControlPool pool = new ControlPool(dataSource, 2, Duration.ofSeconds(2));
        opened.add(pool);
        return QueueEngine.builder(
                        new QueueDatabase(dataSource, pool, null),
                        TestSettings.quick()
                                .worker(With.all(
                                        With.queues(queue),
                                        With.listening(),
                                        With.heartbeatInterval(Duration.ofSeconds(10)),
                                        With.drainTimeout(Duration.ofMillis(500))))
                                .witness(new WitnessSettings(true, grace)),
                        QueueFixture.registry(handlers))
                .identity(WorkerIdentity.create(queue))
                .build();
    }

    private static long number(QueueEngine worker) {
        return Integer.toUnsignedLong(worker.registry().identity().id().hashCode());
    }

    private long witnesses(QueueEngine worker) {
        return harness.jdbc()
                .sql(
                        "select count(*) from pg_locks where locktype = 'advisory' and granted and objid::bigint = :witness")
                .param("witness", number(worker))
                .query(Long.class)
                .single();
    }

    private long completedAtOnce() {
        return harness.jdbc()
                .sql("select count(*) from konduit_task_history where status = 'COMPLETED' and attempts = 1")
                .query(Long.class)
                .single();
    }

    private long running() {
        return harness.jdbc()
                .sql("select count(*) from konduit_task where status = 'RUNNING'")
                .query(Long.class)
                .single();
    }

    private long incidents() {
        return harness.jdbc()
                .sql("select count(*) from konduit_task_incident where classification = 'WORKER_GONE'")
                .query(Long.class)
                .single();
    }
}
