package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimAheadTests {
    private static final long NOW = Duration.ofHours(1).toNanos();
    private static final Duration QUICK = Duration.ofNanos(10_000);

    private static ClaimAhead after(int slots, int runs, Duration each) {
        ClaimAhead ahead = new ClaimAhead(slots);
        for (int i = 0; i < runs; i++) {
            ahead.ran(each.toNanos());
        }
        return ahead;
    }

    @Test
    void claimsNothingAheadBeforeItKnowsAnything() {
        assertThat(after(10, 0, Duration.ZERO).allowance(NOW)).isZero();
        assertThat(after(10, 9, Duration.ZERO).allowance(NOW)).isZero();
    }

    @Test
    void tenSecondTypeGetsNoneAhead() {
        assertThat(after(10, 50, Duration.ofSeconds(10)).allowance(NOW)).isZero();
    }

    @Test
    void quickTypeFillsBatches() {
        assertThat(after(10, 50, Duration.ofNanos(10_000)).allowance(NOW)).isEqualTo(4_000);
        assertThat(after(10, 50, Duration.ofMillis(20)).allowance(NOW)).isEqualTo(50);
        assertThat(after(10, 50, Duration.ofMillis(100)).allowance(NOW)).isEqualTo(10);
    }

    @Test
    void fewSlowRunsEndTheClaimingAhead() {
        ClaimAhead ahead = after(10, 1_000, Duration.ofNanos(10_000));
        ahead.ran(Duration.ofSeconds(10).toNanos());
        ahead.ran(Duration.ofSeconds(10).toNanos());
        assertThat(ahead.allowance(NOW)).isZero();
    }

    @Test
    void nothingIsClaimedAheadAfterATaskThatMustNotRunTwice() {
        ClaimAhead ahead = after(10, 1_000, Duration.ofNanos(10_000));
        ahead.ranOnlyOnce();
        assertThat(ahead.allowance(NOW)).isZero();
        for (int i = 0; i < 30; i++) {
            ahead.ran(Duration.ofNanos(10_000).toNanos());
        }
        assertThat(ahead.allowance(NOW))
                .as("few until many others have been run")
                .isLessThan(10);
        for (int i = 0; i < 1_000; i++) {
            ahead.ran(Duration.ofNanos(10_000).toNanos());
        }
        assertThat(ahead.allowance(NOW)).isEqualTo(4_000);
    }

    /** A clock of nanoseconds may stand at any value, also at the one that means idle, or below it. */
    @Test
    void slotIsBusyWhateverTheClockSaysWhenItBegins() {
        ClaimAhead ahead = after(1, 1_000, QUICK);
        ahead.begins(0, 0);
        assertThat(ahead.allowance(NOW)).isZero();
        ahead.begins(0, -2 * NOW);
        assertThat(ahead.allowance(-NOW)).isZero();
        assertThat(ahead.allowance(-2 * NOW + QUICK.toNanos())).isEqualTo(4_000);
    }

    @Test
    void slotsThatAreBusyForLongCountBeforeTheirRunsEnd() {
        ClaimAhead ahead = after(10, 1_000, QUICK);
        for (int slot = 0; slot < 9; slot++) {
            ahead.begins(slot, NOW - Duration.ofMillis(100).toNanos());
        }
        assertThat(ahead.allowance(NOW - 1)).as("not busy for long").isEqualTo(4_000);
        assertThat(ahead.allowance(NOW)).as("one slot goes on").isEqualTo(4_000);
        ahead.begins(9, NOW - Duration.ofSeconds(1).toNanos());
        assertThat(ahead.allowance(NOW)).as("nothing starts soon").isZero();
        ahead.ends(9);
        assertThat(ahead.allowance(NOW)).isEqualTo(4_000);
        assertThat(after(10, 50, Duration.ofMillis(20)).allowance(NOW)).isEqualTo(50);
    }

    @Test
    void nothingIsClaimedAheadUntilManyQuickRunsAfterALesson() {
        ClaimAhead ahead = after(10, 1_000, QUICK);
        ahead.gaveBack();
        assertThat(ahead.allowance(NOW)).isZero();
        assertThat(quickRunsUntilAllowed(ahead)).isEqualTo(128);
        ahead.gaveBack();
        assertThat(quickRunsUntilAllowed(ahead))
                .as("twice as many after the next")
                .isEqualTo(256);
        for (int i = 0; i < 20; i++) {
            ahead.gaveBack();
        }
        assertThat(quickRunsUntilAllowed(ahead)).as("there is a bound").isEqualTo(16_384);
        for (int i = 0; i < 50_000; i++) {
            ahead.ran(QUICK.toNanos());
        }
        ahead.gaveBack();
        assertThat(quickRunsUntilAllowed(ahead)).as("forgotten after long").isEqualTo(128);
    }

    @Test
    void slowRunsAreNoReasonToClaimAheadAgain() {
        ClaimAhead ahead = after(10, 1_000, QUICK);
        ahead.gaveBack();
        for (int i = 0; i < 200; i++) {
            ahead.ran(Duration.ofMillis(100).toNanos());
        }
        assertThat(ahead.allowance(NOW)).isZero();
    }

    private static int quickRunsUntilAllowed(ClaimAhead ahead) {
        int runs = 0;
        while (ahead.allowance(NOW) == 0) {
            ahead.ran(QUICK.toNanos());
            runs++;
        }
        return runs;
    }
}
