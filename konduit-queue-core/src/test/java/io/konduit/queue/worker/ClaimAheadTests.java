package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ClaimAheadTests {
    private static ClaimAhead after(int slots, int runs, Duration each) {
        ClaimAhead ahead = new ClaimAhead(slots);
        for (int i = 0; i < runs; i++) {
            ahead.ran(each.toNanos());
        }
        return ahead;
    }

    @Test
    void claimsNothingAheadBeforeItKnowsAnything() {
        assertThat(after(10, 0, Duration.ZERO).allowance()).isZero();
        assertThat(after(10, 9, Duration.ZERO).allowance()).isZero();
    }

    @Test
    void tenSecondTypeGetsNoneAhead() {
        assertThat(after(10, 50, Duration.ofSeconds(10)).allowance()).isZero();
    }

    @Test
    void quickTypeFillsBatches() {
        assertThat(after(10, 50, Duration.ofNanos(10_000)).allowance()).isEqualTo(4_000);
        assertThat(after(10, 50, Duration.ofMillis(20)).allowance()).isEqualTo(50);
        assertThat(after(10, 50, Duration.ofMillis(100)).allowance()).isEqualTo(10);
    }

    @Test
    void fewSlowRunsEndTheClaimingAhead() {
        ClaimAhead ahead = after(10, 1_000, Duration.ofNanos(10_000));
        ahead.ran(Duration.ofSeconds(10).toNanos());
        ahead.ran(Duration.ofSeconds(10).toNanos());
        assertThat(ahead.allowance()).isZero();
    }

    @Test
    void nothingIsClaimedAheadAfterATaskThatMustNotRunTwice() {
        ClaimAhead ahead = after(10, 1_000, Duration.ofNanos(10_000));
        ahead.ranOnlyOnce();
        assertThat(ahead.allowance()).isZero();
        for (int i = 0; i < 30; i++) {
            ahead.ran(Duration.ofNanos(10_000).toNanos());
        }
        assertThat(ahead.allowance()).as("few until many others have been run").isLessThan(10);
        for (int i = 0; i < 1_000; i++) {
            ahead.ran(Duration.ofNanos(10_000).toNanos());
        }
        assertThat(ahead.allowance()).isEqualTo(4_000);
    }
}
