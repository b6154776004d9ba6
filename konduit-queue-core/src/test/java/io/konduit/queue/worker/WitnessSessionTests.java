package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.jdbc.ControlPool;
import io.konduit.queue.jdbc.QueueDatabase;
import io.konduit.queue.store.ControlMessage;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.WitnessRepository;
import io.konduit.queue.store.WorkerRepository;
import io.konduit.queue.thread.QueueThreads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The listening session as a witness: taken, taken again, renounced, in doubt. */
@Timeout(60)
class WitnessSessionTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Pattern ADDRESS = Pattern.compile("//([^:/]+):(\\d+)/");

    private final UUID worker = UUID.randomUUID();
    private final Witness witness = new Witness(Duration.ofSeconds(5));
    private SilentNetwork network;
    private HikariDataSource application;
    private ControlPool pool;
    private NotificationListener listener;
    private Thread thread;

    @BeforeEach
    void listen() throws Exception {
        new WorkerRepository(harness.database())
                .beat(new WorkerRepository.Registration(worker, "w", "localhost", 1, "1", null, List.of(), 1));
        Matcher address = ADDRESS.matcher(harness.testDatabase().jdbcUrl());
        assertThat(address.find()).isTrue();
        network = new SilentNetwork(address.group(1), Integer.parseInt(address.group(2)));
        application = harness.testDatabase().newPool(1);
        application.setJdbcUrl(address.replaceFirst("//localhost:" + network.port() + "/"));
        pool = new ControlPool(application, 1, Duration.ofSeconds(3));
        QueueDatabase database = new QueueDatabase(application, pool, null);
        listener = new NotificationListener(
                new NotificationChannel(database),
                new NotificationListener.Callbacks() {
                    @Override
                    public void tasksDue(Set<String> queues) {}

                    @Override
                    public void receive(ControlMessage message) {}

                    @Override
                    public void missed() {}
                },
                new WitnessSession(worker, witness, new WitnessRepository(database), () -> true, System::nanoTime));
        thread = QueueThreads.start("listening", listener::run);
        await().until(this::isSeen);
    }

    @AfterEach
    void close() throws Exception {
        listener.stop();
        thread.join();
        pool.close();
        application.close();
        network.close();
    }

    @Test
    @Tag("K3")
    void aSessionThatTheServerEndsIsReplacedAtOnce() {
        endSessions(1);
    }

    @Test
    @Tag("K3")
    @Tag("long")
    void eachSessionThatTheServerEndsIsReplacedAtOnce() {
        endSessions(5);
    }

    private void endSessions(int rounds) {
        for (int round = 0; round < rounds; round++) {
            // one that has just begun is not replaced at once
            await().until(() -> livesFor(Duration.ofMillis(1_100)));
            long pid = witnessPid();
            harness.jdbc()
                    .sql("select pg_terminate_backend(:pid::integer)")
                    .param("pid", pid)
                    .query()
                    .singleRow();
            await().atMost(Duration.ofSeconds(2)).until(() -> isSeen() && witnessPid() != pid);
            assertThat(witness.isAnnounced()).isTrue();
        }
    }

    @Test
    @Tag("K3")
    @Tag("long")
    void aWorkerThatCannotReachTheDatabaseIsInDoubtBeforeTheGraceIsOver() {
        long before = System.nanoTime();
        network.silenceAll();
        await().atMost(Duration.ofSeconds(10)).until(() -> witness.isInDoubt(before, System.nanoTime()));
    }

    @Test
    @Tag("K3")
    void aSessionThatDiesSilentlyIsReplacedBeforeTheWitnessIsInDoubt() {
        long pid = witnessPid();
        long before = System.nanoTime();
        network.silence();
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            assertThat(witness.isInDoubt(before, System.nanoTime())).isFalse();
            return isSeen() && witnessPid() != pid;
        });
    }

    @Test
    @Tag("K3")
    void aRowThatWasRemovedGetsItsWitnessBack() {
        harness.jdbc().sql("delete from konduit_worker").update();
        new WorkerRepository(harness.database())
                .beat(new WorkerRepository.Registration(worker, "w", "localhost", 1, "1", null, List.of(), 1));
        await().until(this::isSeen);
    }

    /** A start that could not leave the registry, and another whose session is refused: its handlers would not be ended. */
    @Test
    @Tag("K3")
    void aWitnessThatAnEarlierStartLeftBehindIsRenounced() {
        UUID restarted = UUID.randomUUID();
        WorkerRepository workers = new WorkerRepository(harness.database());
        workers.beat(new WorkerRepository.Registration(restarted, "w", "localhost", 1, "1", null, List.of(), 1));
        try (NotificationChannel.Subscription earlier = new NotificationChannel(harness.database()).subscribe()) {
            earlier.takeWitness(restarted, Duration.ofSeconds(5), System.nanoTime(), Duration.ofSeconds(5));
        }
        Witness later = new Witness(Duration.ofSeconds(5));
        new WitnessSession(restarted, later, new WitnessRepository(harness.database()), () -> true, System::nanoTime)
                .broken();
        assertThat(later.isInDoubt(0, Long.MAX_VALUE)).isFalse();
        assertThat(harness.jdbc()
                        .sql("select count(*) from konduit_worker where witness is not null and id = :id")
                        .param("id", restarted)
                        .query(Long.class)
                        .single())
                .isZero();
    }

    private boolean isSeen() {
        return harness.holdsWitness(worker);
    }

    private boolean livesFor(Duration time) {
        return harness.jdbc()
                .sql("select coalesce(bool_or(backend_start < clock_timestamp() - :ms * interval '1 ms'), false)"
                        + " from pg_stat_activity where pid in (select pid from pg_locks where locktype = 'advisory')")
                .param("ms", time.toMillis())
                .query(Boolean.class)
                .single();
    }

    private long witnessPid() {
        return harness.jdbc()
                .sql("select pid from pg_locks where locktype = 'advisory' and granted"
                        + " and database = (select oid from pg_database where datname = current_database()) limit 1")
                .query(Long.class)
                .optional()
                .orElse(0L);
    }
}
