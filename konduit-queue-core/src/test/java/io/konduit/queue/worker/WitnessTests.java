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

    /** A statement that tells of a witness may be carried out although its reply is lost. */
    @Test
    void isBelievedFromTheTimeItIsAnnounced() {
        witness.announced(0);
        assertThat(witness.isAnnounced()).isTrue();
        assertThat(witness.isInDoubt(0, 4 * SECOND)).isTrue();
    }
}
