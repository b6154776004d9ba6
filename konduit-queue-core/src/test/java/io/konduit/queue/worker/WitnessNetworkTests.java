package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.QueueFixture;
import io.konduit.queue.QueueHarness;
import io.konduit.queue.failover.OutageGuard;
import io.konduit.queue.recovery.WitnessWatch;
import io.konduit.queue.store.LeaseRepository;
import io.konduit.queue.store.WitnessRepository;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A witness on a network that hangs, falls silent or loses replies. */
@Tag("K3")
@Timeout(90)
class WitnessNetworkTests {
    @RegisterExtension
    static final QueueHarness harness = new QueueHarness();

    private static final Duration GRACE = Duration.ofSeconds(5);
    /** That of the default heartbeat. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final ListeningWitness session = new ListeningWitness(harness, GRACE, PATIENCE);
    private final Witness witness = session.witness;
    private final SilentNetwork network = session.network;

    @BeforeEach
    void listen() throws Exception {
        session.beat(harness.database());
        session.beat(session.database);
        session.start();
        TimeUnit.MILLISECONDS.sleep(1_500); // a session that has lived is replaced at once
    }

    @AfterEach
    void close() throws Exception {
        session.close();
    }

    /**
     * The session dies silently, and its successor is asked to take the witness, which waits for the row. That is no
     * confirmation: the leader's grace goes on.
     */
    @Test
    @Tag("long")
    void aWitnessThatWasOnlyAskedForConfirmsNothing() throws Exception {
        long claimed = claim();
        WitnessWatch watch = watch();
        network.silence();
        session.terminate(session.pid());
        await().pollInterval(Duration.ofMillis(10)).until(() -> watch.lookOnce().nextIn() != null);
        long noted = System.nanoTime();
        CompletableFuture<Integer> ended;
        boolean inDoubt;
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select * from konduit_worker for update");
            TimeUnit.NANOSECONDS.sleep(GRACE.toNanos() + 50_000_000 - (System.nanoTime() - noted));
            ended = CompletableFuture.supplyAsync(() -> watch.lookOnce().ended());
            TimeUnit.MILLISECONDS.sleep(500);
            inDoubt = witness.isInDoubt(claimed, System.nanoTime());
            other.rollback();
        }
        int taken = ended.join();
        assertThat(taken == 0 || inDoubt)
                .as("%s task taken, handler told to end: %s", taken, inDoubt)
                .isTrue();
    }

    /** The server carries a take out after the worker has given it up and renounced. */
    @Test
    @Tag("long")
    void aTakeThatIsCarriedOutAfterTheWorkerRenouncedCostsNoTask() throws Exception {
        long claimed = claim();
        WitnessWatch watch = watch();
        harness.testDatabase()
                .execute(
                        "create function slow_server() returns trigger language plpgsql as $$ begin"
                                + " if current_query() like '%pg_try_advisory_lock_shared%' then perform pg_sleep(1.5); end if;"
                                + " return null; end $$",
                        "create trigger slow_server before update on konduit_worker for each statement"
                                + " execute function slow_server()");
        try {
            int connections = network.connections();
            session.terminate(session.pid());
            await().until(() -> network.connections() > connections && takes() == 1);
            network.silenceNew();
            network.cutNewest();
            await().until(() -> !witness.isAnnounced());
            await().until(() -> takes() == 0);
            long end = System.nanoTime() + Duration.ofSeconds(9).toNanos();
            while (System.nanoTime() < end) {
                int taken = watch.lookOnce().ended();
                boolean inDoubt = witness.isInDoubt(claimed, System.nanoTime());
                assertThat(taken == 0 || inDoubt)
                        .as("%s task taken, handler told to end: %s", taken, inDoubt)
                        .isTrue();
                TimeUnit.MILLISECONDS.sleep(100);
            }
        } finally {
            harness.testDatabase().execute("drop function slow_server() cascade");
        }
    }

    private static long takes() {
        return harness.count("select count(*) from pg_stat_activity where state = 'active'"
                + " and query like '%pg_try_advisory_lock_shared%' and pid <> pg_backend_pid()");
    }

    private long claim() {
        LeaseRepository leases = new LeaseRepository(harness.database(), session.worker);
        harness.queue().enqueue("work", null);
        long claimed = System.nanoTime();
        assertThat(QueueHarness.claim(leases, 1, List.of("work"))).hasSize(1);
        return claimed;
    }

    private static WitnessWatch watch() {
        return new WitnessWatch(
                new WitnessRepository(harness.database()),
                new QueueFixture(harness.database()).reclaimer(),
                new OutageGuard(Duration.ZERO, System::nanoTime),
                new WitnessWatch.Terms(10, "watch@test"),
                System::nanoTime);
    }

    /** A statement of the session waits while its connection falls silent: there is no limit to that. */
    @Test
    @Tag("long")
    void aSessionThatFallsSilentWhileItTakesTheWitnessIsReplaced() throws Exception {
        try (Connection other = harness.testDatabase().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("select * from konduit_worker for update");
            session.terminate(session.pid());
            await().until(() -> harness.count(
                            "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%pg_try_advisory%'")
                    >= 1);
            network.silence();
            other.rollback();
        }
        // everything works again, for new connections
        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        !witness.isInDoubt(0, System.nanoTime()) && session.isSeen() && session.listener.isListening());
    }

    /** A connection to be had is waited for, while the control pool's connections work: renouncing would do. */
    @Test
    void aWorkerWhoseControlPathWorksIsNeverInDoubt() throws Exception {
        network.silenceNew();
        long begun = System.nanoTime();
        session.terminate(session.pid());
        // once renounced, it cannot be in doubt before there is a session again
        while (witness.isAnnounced()) {
            session.beat(session.database);
            assertThat(witness.isInDoubt(begun - GRACE.toNanos(), System.nanoTime()))
                    .as(
                            "in doubt after %s ms although a statement has just been answered",
                            (System.nanoTime() - begun) / 1_000_000)
                    .isFalse();
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    /** A process that stood still while its session ended may have lost its leases, and its next extension is far away. */
    @Test
    void aWorkerThatHasRenouncedChecksItsLeases() {
        network.silenceNew();
        int before = session.missed.get();
        session.terminate(session.pid());
        await().until(() -> !witness.isAnnounced());
        await().atMost(Duration.ofSeconds(1)).until(() -> session.missed.get() > before);
    }

    /** The pause between attempts grows to three times the grace. */
    @Test
    @Tag("long")
    void theWitnessIsBackSoonAfterTheDatabaseIs() throws Exception {
        network.refuse();
        TimeUnit.MILLISECONDS.sleep(38_500);
        network.heal();
        await().atMost(Duration.ofSeconds(30)).until(this::answers);
        long back = System.nanoTime();
        await().atMost(Duration.ofSeconds(40)).until(() -> !witness.isInDoubt(0, System.nanoTime()));
        assertThat(Duration.ofNanos(System.nanoTime() - back))
                .as("tasks claimed meanwhile are interrupted after 4 s")
                .isLessThan(Duration.ofSeconds(4));
    }

    private boolean answers() {
        try {
            session.beat(session.database);
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
