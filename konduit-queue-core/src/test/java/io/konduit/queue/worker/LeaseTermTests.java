package io.konduit.queue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Local time is a parameter, so an hour takes no time here. */
class LeaseTermTests {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final LeaseTerm term = new LeaseTerm(30 * SECOND, 0);

    @Test
    @Tag("H4")
    void needsAnExtensionWhenAThirdOfTheLeaseIsUsed() {
        assertThat(term.nanosToExtension(4 * SECOND)).isEqualTo(6 * SECOND);
        assertThat(term.nanosToExtension(10 * SECOND - 1)).isPositive();
        assertThat(term.nanosToExtension(10 * SECOND)).isZero();
        term.confirm(10 * SECOND);
        assertThat(term.nanosToExtension(20 * SECOND - 1)).isPositive();
        assertThat(term.nanosToExtension(21 * SECOND)).isEqualTo(-SECOND);
    }

    @Test
    @Tag("H4")
    void isExtendedAtOnceOnRequest() {
        term.extendSoon();
        assertThat(term.nanosToExtension(0)).isZero();
        term.extending();
        term.confirm(SECOND);
        assertThat(term.nanosToExtension(SECOND)).isEqualTo(10 * SECOND);
    }

    @Test
    @Tag("H4")
    void requestDuringAnExtensionNeedsAnother() {
        term.extending();
        term.extendSoon();
        term.confirm(SECOND);
        assertThat(term.nanosToExtension(SECOND)).isZero();
        term.extending();
        term.confirm(2 * SECOND);
        assertThat(term.nanosToExtension(2 * SECOND)).isEqualTo(10 * SECOND);
    }

    @Test
    @Tag("H7")
    void mayEndATenthBeforeItsEndUnlessConfirmed() {
        assertThat(term.mayEndSoon(27 * SECOND - 1)).isFalse();
        assertThat(term.mayEndSoon(27 * SECOND)).isTrue();
        term.confirm(5 * SECOND);
        assertThat(term.mayEndSoon(32 * SECOND - 1)).isFalse();
        assertThat(term.mayEndSoon(32 * SECOND)).isTrue();
    }

    @Test
    @Tag("H7")
    void marginOfAShortLeaseIsAtLeast200Milliseconds() {
        LeaseTerm shortTerm = new LeaseTerm(SECOND, 0);
        assertThat(shortTerm.mayEndSoon(SECOND * 8 / 10 - 1)).isFalse();
        assertThat(shortTerm.mayEndSoon(SECOND * 8 / 10)).isTrue();
    }

    @Test
    @Tag("H5")
    void lockedRowConfirmsTheLeaseOnlyWhileTheOwnTransactionHoldsIt() {
        assertThat(term.busy(5 * SECOND)).isFalse();
        assertThat(term.mayEndSoon(27 * SECOND)).isTrue();
        term.ownTransactionHoldsRow(true);
        assertThat(term.busy(5 * SECOND)).isTrue();
        assertThat(term.mayEndSoon(27 * SECOND)).isFalse();
        assertThat(term.nanosToExtension(6 * SECOND)).isPositive();
        term.ownTransactionHoldsRow(false);
        assertThat(term.nanosToExtension(6 * SECOND))
                .as("its fresh lease is confirmed soon")
                .isZero();
    }
}
