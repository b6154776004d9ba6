package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.konduit.queue.QueueHarness;
import io.konduit.queue.store.NotificationChannel;
import io.konduit.queue.store.WitnessRepository;
import io.konduit.queue.store.WorkerRepository;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
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

    private final ListeningWitness session =
            new ListeningWitness(harness, Duration.ofSeconds(5), Duration.ofSeconds(3));
    private final Witness witness = session.witness;
    private final SilentNetwork network = session.network;

    @BeforeEach
    void listen() {
        session.beat(harness.database());
        session.start();
    }

    @AfterEach
    void close() throws Exception {
        session.close();
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
            long pid = session.pid();
            session.terminate(pid);
            await().atMost(Duration.ofSeconds(2)).until(() -> session.isSeen() && session.pid() != pid);
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
        long pid = session.pid();
        long before = System.nanoTime();
        network.silence();
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            assertThat(witness.isInDoubt(before, System.nanoTime())).isFalse();
            return session.isSeen() && session.pid() != pid;
        });
    }

    @Test
    @Tag("K3")
    void aRowThatWasRemovedGetsItsWitnessBack() {
        harness.jdbc().sql("delete from konduit_worker").update();
        session.beat(harness.database());
        await().until(session::isSeen);
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

    private boolean livesFor(Duration time) {
        return harness.jdbc()
                .sql("select coalesce(bool_or(backend_start < clock_timestamp() - :ms * interval '1 ms'), false)"
                        + " from pg_stat_activity where pid in (select pid from pg_locks where locktype = 'advisory')")
                .param("ms", time.toMillis())
                .query(Boolean.class)
                .single();
    }
}
