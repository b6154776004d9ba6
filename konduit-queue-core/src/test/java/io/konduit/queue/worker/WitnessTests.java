package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When a worker must end its handlers, by its own clock. */
@Tag("K3")
class WitnessTests {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Witness witness = new Witness(Duration.ofSeconds(5));

    @Test
    void isNotInDoubtForAsLongAsRoundTripsComeBack() {
        witness.announced(0);
        for (int second = 1; second < 100; second++) {
            assertThat(witness.isInDoubt(0, second * SECOND)).isFalse();
            witness.confirmed(second * SECOND);
        }
    }

    @Test
    void isInDoubtAFifthOfTheGraceBeforeLeasesCanBeEnded() {
        witness.announced(0);
        witness.confirmed(10 * SECOND);
        assertThat(witness.isInDoubt(0, 14 * SECOND - 1)).isFalse();
        assertThat(witness.isInDoubt(0, 14 * SECOND)).isTrue();
    }

    @Test
    void aTaskThatWasClaimedAfterwardsIsNotInDoubt() {
        witness.announced(0);
        assertThat(witness.isInDoubt(29 * SECOND, 30 * SECOND)).isFalse();
        assertThat(witness.isInDoubt(29 * SECOND, 33 * SECOND)).isTrue();
    }

    @Test
    void withoutAWitnessTheLeaseAloneDecides() {
        assertThat(witness.isInDoubt(0, 1_000 * SECOND)).isFalse();
        witness.announced(0);
        witness.renounced();
        assertThat(witness.isInDoubt(0, 1_000 * SECOND)).isFalse();
        assertThat(Witness.none().isInDoubt(0, Long.MAX_VALUE)).isFalse();
    }

    /** The grace of a leader that misses the old session goes on until the new one has answered. */
    @Test
    void announcingItAgainConfirmsNothing() {
        witness.announced(0);
        witness.announced(3 * SECOND);
        assertThat(witness.isInDoubt(0, 4 * SECOND)).isTrue();
        witness.confirmed(3 * SECOND);
        assertThat(witness.isInDoubt(0, 4 * SECOND)).isFalse();
    }

    /** SIGSTOP, a long collection, a suspended machine: the operating system keeps the session meanwhile. */
    @Test
    void aSessionThatOutlivedAPauseOfTheProcessMayShowItFirst() {
        witness.announced(0);
        witness.looked(0);
        long resumed = 20 * SECOND;
        witness.looked(resumed);
        assertThat(witness.isInDoubt(0, resumed)).isFalse();
        witness.confirmed(resumed + SECOND / 10);
        assertThat(witness.isInDoubt(0, resumed + SECOND)).isFalse();
    }

    @Test
    void aSessionThatIsSilentAfterAPauseIsInDoubtSoon() {
        witness.announced(0);
        witness.looked(0);
        witness.looked(20 * SECOND);
        assertThat(witness.isInDoubt(0, 20 * SECOND + SECOND / 4)).isTrue();
    }

    @Test
    void aWatchdogThatIsAlwaysLatePutsTheEndOffOnce() {
        witness.announced(0);
        witness.confirmed(1);
        witness.looked(0);
        witness.looked(10 * SECOND);
        assertThat(witness.isInDoubt(0, 10 * SECOND)).isFalse();
        witness.looked(20 * SECOND);
        assertThat(witness.isInDoubt(0, 20 * SECOND)).isTrue();
    }

    /** A statement that tells of a witness may be carried out although its reply is lost. */
    @Test
    void isBelievedFromTheTimeItIsAnnounced() {
        witness.announced(0);
        assertThat(witness.isAnnounced()).isTrue();
        assertThat(witness.isInDoubt(0, 4 * SECOND)).isTrue();
    }
}
